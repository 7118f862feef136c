/** What a campaign came to, in words. */

import { GATE_CODES } from "../src/core/schedule/gates.ts";
import { allMoves } from "../src/core/task/moves.ts";
import { killsOf, type Sums } from "./campaign.ts";

const DOUBLED = new Set(["doubled", "one live attempt per task", "settled exactly once", "each line is applied once"]);

export function summary(sums: Sums): string {
  const { seeds, tasks, attempts, faults, fewest, kills, deaths, failures } = sums;
  const count = (is: (oracle: string) => boolean): number => failures.filter(({ oracle }) => is(oracle)).length;
  const lost = count((oracle) => oracle === "lost");
  const doubled = count((oracle) => DOUBLED.has(oracle));
  const stuck = count((oracle) => oracle === "stuck");
  const leftovers = count((oracle) => oracle === "leftovers" || oracle === "an ended attempt leaves no process");
  const other = failures.length - lost - doubled - stuck - leftovers;
  const dealt = Object.entries(kills).map(([kind, n]) => `${kind} ${n}`);
  return [
    `${seeds} seeds, ${tasks} tasks (at least ${fewest.tasks} a seed), ${attempts} attempts, ${faults} faults (at least ${fewest.faults} a seed)`,
    `${killsOf(sums)} kills (${dealt.join(", ")}), engines at ${deaths.size} different steps`,
    `${lost} lost, ${doubled} doubled, ${stuck} stuck, ${leftovers} leftovers, ${other} others`,
    ...(failures.length === 0 ? [] : [`failed: ${failures.map(({ seed }) => seed).join(", ")}`]),
  ].join("\n");
}

/** Rows of the move table and gates that nothing has reached. */
export function uncovered(
  { moves, gates }: Sums,
  movesByHand: ReadonlySet<string>,
  gatesByHand: ReadonlySet<string>,
): string[] {
  const rows = [...allMoves()].map(({ from, to, cause }) => `${from} > ${to} by ${cause}`);
  return [
    ...rows.filter((row) => !moves.has(row) && !movesByHand.has(row)),
    ...GATE_CODES.filter((code) => !gates.has(code) && !gatesByHand.has(code)).map((code) => `gate ${code}`),
  ];
}
