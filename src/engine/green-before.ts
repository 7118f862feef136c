/** `red_first`: checks that were green before the work prove nothing of it. */

import type { RecordedCheck } from "../ports/store.ts";
import type { Landing } from "./landing-work.ts";

/** Null where one of them was red then, a person let it pass, or nobody asked. */
export async function greenBefore({
  context,
  record: { row, definition },
}: Landing): Promise<{ cause: "green_before"; text: string } | null> {
  if (!definition.red_first || row.rulings?.green_before === "allow") return null;
  const bases = new Set((await context.store.attempts(row.plan, row.id)).map(({ base_tree }) => base_tree));
  const before = (check: RecordedCheck): boolean =>
    check.kind === "verify" && check.outcome !== "error" && check.tree !== null && bases.has(check.tree);
  const ran = (await context.store.checks(row.plan, row.id)).filter(before);
  if (ran.length === 0 || ran.some(({ outcome }) => outcome !== "green")) return null;
  const commands = [...new Set(ran.map(({ command }) => `\`${command}\``))].join(", ");
  return { cause: "green_before", text: `already green before the work, so it proves nothing of it: ${commands}` };
}
