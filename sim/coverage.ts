/** What of the product was reached: moves of tasks, gates, and the steps at which an engine died. */

export class Coverage {
  readonly moves = new Set<string>();
  readonly gates = new Set<string>();
  readonly deaths = new Set<string>();

  move(from: string, to: string, cause: string): void {
    this.moves.add(`${from} > ${to} by ${cause}`);
  }
}
