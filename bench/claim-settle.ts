/** Claim and settle, durable, beside a bare pair of two-statement commits on the same kind of file. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "../src/adapters/store/sqlite/open.ts";
import { NO_CAPS } from "../src/core/task/commands/tasks.ts";
import { type Lab, openLab } from "./lab.ts";
import { inTurn, type Row, timed } from "./measure.ts";

const PAIRS = 200;
const ROUNDS = 7;
/** Until the code that is measured has been compiled, as it is in an engine that lives for long. */
const WARM_ROUNDS = 5;

export async function claimSettle(): Promise<Row[]> {
  const small = await measure(100);
  const large = await measure(100_000);
  const row = (what: string, { ours, bare }: { ours: number; bare: number }): Row => ({
    what,
    value: `${ours.toFixed(3)} ms`,
    floor: `${bare.toFixed(3)} ms`,
    ratio: `${((100 * bare) / ours).toFixed(0)} % of its rate`,
    aim: "at least 50 %",
  });
  return [
    row("claim + settle, plan of 100", small),
    row("claim + settle, plan of 100,000", large),
    {
      what: "the same, 100,000 against 100",
      value: `${large.ours.toFixed(3)} ms`,
      floor: `${small.ours.toFixed(3)} ms`,
      ratio: `${(large.ours / small.ours).toFixed(2)}x`,
      aim: "flat",
    },
  ];
}

async function measure(count: number): Promise<{ ours: number; bare: number }> {
  const lab = await openLab("none");
  const tasks = Array.from({ length: count }, (_, i) => ({
    id: `T-${i + 1}`,
    title: `Task ${i + 1}`,
    verify: "[ -e marker ]",
  }));
  const plan = await lab.load(tasks);
  const { bare, close } = await barePairs();
  const measured = (rounds: number): Promise<{ a: number; b: number }> =>
    inTurn(
      rounds,
      () => timed(() => ourPairs(lab, plan.id)),
      () => timed(bare),
    );
  await measured(WARM_ROUNDS);
  const { a, b } = await measured(ROUNDS);
  close();
  await lab.close();
  return { ours: a / PAIRS, bare: b / PAIRS };
}

/** The worker gives each task back, so that a plan of 100 never runs out. */
async function ourPairs({ context }: Lab, plan: string): Promise<void> {
  const { store, processes, clock } = context;
  for (let i = 0; i < PAIRS; i++) {
    const task = `T-${(i % 100) + 1}`;
    const lease = { holder: processes.self(), expires_at: clock.now() + 1_800_000 };
    const claim = await store.submit(
      {
        type: "task.claim",
        plan,
        task,
        kind: "external",
        agent: null,
        ...lease,
        run: null,
        base: { commit: null, tree: null },
        caps: NO_CAPS,
      },
      { actor: "bench" },
    );
    if (!claim.ok) throw new Error(claim.rejection.message);
    const created = claim.events.find((event) => event.type === "attempt.created");
    if (created?.type !== "attempt.created") throw new Error("no attempt");
    const rest = {
      error: null,
      summary: null,
      usage: null,
      cost_usd: null,
      unlanded: false,
      killed: false,
      verdict: null,
      due_at: null,
    };
    const settled = await store.submit(
      { type: "attempt.settle", plan, task, token: created.data.attempt.token, outcome: "interrupted", ...rest },
      { actor: "bench" },
    );
    if (!settled.ok) throw new Error(settled.rejection.message);
  }
}

async function barePairs(): Promise<{ bare: () => void; close: () => void }> {
  const dir = mkdtempSync(join(tmpdir(), "lockstep-bench-bare-"));
  const db = await openDatabase(join(dir, "bare.db"));
  db.exec(
    "CREATE TABLE bare_one (id INTEGER PRIMARY KEY, n INTEGER); CREATE TABLE bare_two (id INTEGER PRIMARY KEY, n INTEGER)",
  );
  const pair = (): { changed: true } => {
    db.sql("INSERT INTO bare_one (n) VALUES (?)").run(1);
    db.sql("INSERT INTO bare_two (n) VALUES (?)").run(2);
    return { changed: true };
  };
  const bare = (): void => {
    for (let i = 0; i < 2 * PAIRS; i++) db.write(pair);
  };
  return {
    bare,
    close: () => {
      db.close();
      rmSync(dir, { recursive: true });
    },
  };
}
