/** Figures of this directory are ratios: a thing beside its floor, measured in turn in one run, the median of several. */

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Milliseconds that `act` takes. */
export async function timed(act: () => unknown): Promise<number> {
  const start = performance.now();
  await act();
  return performance.now() - start;
}

/** Runs a and b in turn, `rounds` times, and answers the medians. */
export async function inTurn(
  rounds: number,
  a: () => Promise<number>,
  b: () => Promise<number>,
): Promise<{ a: number; b: number }> {
  const [as, bs]: [number[], number[]] = [[], []];
  for (let i = 0; i < rounds; i++) {
    as.push(await a());
    bs.push(await b());
  }
  return { a: median(as), b: median(bs) };
}

export interface Row {
  what: string;
  /** The figure, with its unit. */
  value: string;
  floor: string;
  ratio: string;
  aim: string;
}

export function print(rows: readonly Row[]): void {
  for (const { what, value, floor, ratio, aim } of rows)
    process.stdout.write(
      `${what.padEnd(46)} ${value.padStart(14)}  floor ${floor.padStart(14)}  ${ratio.padStart(18)}  aim ${aim}\n`,
    );
}
