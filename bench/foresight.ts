/** A look at what eight works under way will conflict with, in 5,000 files, beside one `git status` in each. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { claimTask } from "../src/engine/claim.ts";
import type { WorkspaceTask } from "../src/ports/workspace.ts";
import { openLab } from "./lab.ts";
import { inTurn, type Row, timed } from "./measure.ts";
import { bare, makeRepository } from "./repository.ts";

const FILES = 5_000;
const WORKS = 8;
const ROUNDS = 7;

export async function foresight(): Promise<Row[]> {
  const lab = await openLab("worktree", (dir) => makeRepository(dir, FILES), { jobs: WORKS });
  const ids = Array.from({ length: WORKS }, (_, at) => `T-${at}`);
  const plan = await lab.load(ids.map((id) => ({ id, title: id, unchecked: true })));
  const asking = { plan: plan.id, kind: "external", agent: null, run: null, ttlMs: 1_800_000 } as const;
  const places: string[] = [];
  const works: WorkspaceTask[] = [];
  for (const task of ids) {
    const { claimed } = await claimTask(lab.context, { ...asking, task });
    if (!claimed) throw new Error("nothing to claim");
    places.push(claimed.workspace.dir);
    works.push({ plan: plan.name, slug: claimed.task.row.slug, n: claimed.attempt.n });
  }
  const change = (place: string, at: number, n: number): void =>
    writeFileSync(join(place, `src/d${at % 2}/f${at % 2}.txt`), `changed by ${at} ${n}\n`);
  let n = 0;
  const status = (): Promise<number> =>
    timed(() => Promise.all(places.map((place) => bare(place, "git", "--no-optional-locks", "status", "--porcelain"))));
  const look = async (changed: number): Promise<number> => {
    n += 1;
    for (const [at, place] of places.entries()) if (at < changed) change(place, at, n);
    return timed(async () => {
      const clashes = await lab.context.workspace.foresee(works);
      if (clashes !== null && "code" in clashes) throw new Error(clashes.text);
      if (changed > 0 && clashes?.length === 0) throw new Error("nothing was foreseen");
    });
  };
  for (let warm = 0; warm < 3; warm++) await look(WORKS);
  const rows: Row[] = [];
  for (const [what, changed] of [
    ["nothing is new", 0],
    ["one changed", 1],
    ["all changed", WORKS],
  ] as const) {
    const { a, b } = await inTurn(ROUNDS, () => look(changed), status);
    rows.push({
      what: `look at ${WORKS} works, ${what}`,
      value: `${a.toFixed(0)} ms`,
      floor: `${b.toFixed(0)} ms`,
      ratio: `${(a / b).toFixed(1)}x`,
      aim: "none: 1/200 of the time at most",
    });
  }
  await lab.close();
  return rows;
}
