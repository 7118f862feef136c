/** A later attempt goes on in the conversation of the one before it, where that was broken off. */

import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { homesName, spoolName } from "../../../src/core/attempt/spool-name.ts";
import type { RowCommand } from "../../../src/core/task/commands.ts";
import type { AttemptRow } from "../../../src/core/task/rows.ts";
import { panic } from "../../../src/engine/panic.ts";
import { attemptsOf, type Lab, makeLab, openLab, readText, runLab, statesIn } from "../../fixtures/lab.ts";

/** Tells a conversation of its own unless it is given one, and what it used; then does what its attempt is to do. */
const AGENT = `n=$(( $(cat "$ASIDE/n" 2> /dev/null) + 1 )); echo $n > "$ASIDE/n"
cat > "$ASIDE/told-$n"
echo "{\\"type\\":\\"session\\",\\"session\\":\\"\${LOCKSTEP_SESSION:-s-$n}\\"}"
echo "{\\"type\\":\\"usage\\",\\"input\\":$n,\\"output\\":1}"
if [ -e "$ASIDE/do-$n" ]; then . "$ASIDE/do-$n"; fi
echo '{"type":"result"}'`;
const WAITS = 'touch "$ASIDE/at-work"; sleep 600';
const ASKS = 'echo \'{"type":"result","outcome":"blocked","error":"Which port?"}\'; exit';

const TASKS = [
  { id: "A", title: "Do it", verify: `test -e "$ASIDE/right" || { touch "$ASIDE/right"; echo "not right"; exit 1; }` },
];

/** Its first check is red unless the lab `isRight`. `acts`: what each attempt does, from the first on. */
async function labOf(acts: string[], { isRight = true, home = "shared" } = {}): Promise<Lab> {
  const lab = await makeLab({ kind: "none", tasks: TASKS, agent: 'bash "$ASIDE/agent.sh"', config: {} });
  const config = JSON.parse(readText(lab.root, "lockstep.yaml"));
  config.agents.worker.home = home;
  writeFileSync(join(lab.root, "lockstep.yaml"), JSON.stringify(config));
  writeFileSync(join(lab.aside, "agent.sh"), AGENT);
  if (isRight) writeFileSync(join(lab.aside, "right"), "");
  acts.forEach((act, index) => {
    writeFileSync(join(lab.aside, `do-${index + 1}`), act);
  });
  return { ...lab, ...(await openLab(lab)) };
}

/** Runs the plan; when its agent is at work and its conversation is known, `act` ends it. */
async function brokenOff(lab: Lab, act: (attempt: AttemptRow) => Promise<unknown>): Promise<void> {
  const run = runLab(lab);
  const isAtWork = async (): Promise<boolean> =>
    existsSync(join(lab.aside, "at-work")) && (await attemptsOf(lab, "A"))[0]?.session != null;
  await expect.poll(isAtWork, { timeout: 20_000 }).toBe(true);
  await act((await attemptsOf(lab, "A"))[0]!);
  await run;
}

async function submit(lab: Lab, wish: object): Promise<void> {
  const command = { plan: lab.plan.id, task: "A", ...wish } as RowCommand;
  expect(await lab.context.store.submit(command, { actor: "anna" })).toMatchObject({ ok: true });
}

const sessions = async (lab: Lab): Promise<unknown[]> =>
  (await attemptsOf(lab, "A")).map(({ outcome, session }) => [outcome, session]);

/** What its runner told of the attempt, for people. */
function notesOf(lab: Lab, n: number): string[] {
  const events = join(
    lab.aside,
    "state/lockstep/blobs",
    spoolName({ plan: lab.plan.id, slug: "A" }, n),
    "events.jsonl",
  );
  const lines = readText(events).trim().split("\n");
  return lines.map((line) => JSON.parse(line)).flatMap(({ type, text }) => (type === "note" ? [text] : []));
}

const requeue = (lab: Lab) => () =>
  submit(lab, { type: "attempt.stop", as: "interrupted", why: "a better idea", then: "pending" });

describe("the next attempt goes on in the conversation", () => {
  test("of one that was requeued: it is told why, to look first, and all of its task; its usage is its own", async () => {
    const lab = await labOf([WAITS]);
    await brokenOff(lab, requeue(lab));
    expect(await sessions(lab)).toEqual([
      ["interrupted", "s-1"],
      ["succeeded", "s-1"],
    ]);
    const told = readText(lab.aside, "told-2");
    expect(told).toMatch(
      /^Your work on this task broke off: it was interrupted: a better idea\.\nLook at the workspace first/,
    );
    expect(told).toContain("\n\nDo it\n");
    expect(notesOf(lab, 2)).toEqual(["it goes on in the conversation s-1 of attempt 1"]);
    expect((await attemptsOf(lab, "A"))[1]).toMatchObject({ usage: { input: 2, output: 1 } });
  });

  test("of one whose runner died", async () => {
    const lab = await labOf([WAITS]);
    await brokenOff(lab, async ({ process: runner }) => process.kill(runner!.pid, "SIGKILL"));
    expect(await sessions(lab)).toEqual([
      ["lost", "s-1"],
      ["succeeded", "s-1"],
    ]);
    expect(readText(lab.aside, "told-2")).toMatch(/^Your work on this task broke off: its process was lost/);
  });

  test("of one that a panic killed", async () => {
    const lab = await labOf([WAITS]);
    await brokenOff(lab, async () => {
      await panic(lab.context.store, "anna", "panic: smoke");
      await expect.poll(() => statesIn(lab), { timeout: 20_000 }).toEqual({ A: "pending" });
      const resume = { type: "run.resume", plan: lab.plan.id, tasks_max: null } as const;
      expect(await lab.context.store.submit(resume, { actor: "anna" })).toMatchObject({ ok: true });
    });
    expect(await sessions(lab)).toEqual([
      ["cancelled", "s-1"],
      ["succeeded", "s-1"],
    ]);
  });

  test("of one that asked a person, and has the answer; also in a home of its own", async () => {
    const lab = await labOf([ASKS], { home: "own" });
    expect((await runLab(lab)).outcome).toBe("needs_person");
    const [item] = await lab.context.store.openItems(lab.project.id, lab.plan.id, 10);
    await submit(lab, { type: "item.answer", item: item!.id, option: "retry", text: "8080" });
    expect((await runLab(lab)).outcome).toBe("done");
    expect(await sessions(lab)).toEqual([
      ["blocked", "s-1"],
      ["succeeded", "s-1"],
    ]);
    const told = readText(lab.aside, "told-2");
    expect(told).toContain("broke off: it waited for a person: Which port?");
    expect(told).toContain("The answer: 8080");
  });
});

describe("the next attempt begins anew", () => {
  test("after red checks, with their evidence", async () => {
    const lab = await labOf([], { isRight: false });
    expect((await runLab(lab)).outcome).toBe("done");
    expect((await sessions(lab)).map((each) => (each as unknown[])[1])).toEqual(["s-1", "s-2"]);
    expect(readText(lab.aside, "told-2")).toMatch(
      /^Do it\n\nThe last try at this task did not succeed\.[\s\S]*not right/,
    );
    expect(notesOf(lab, 2)).toEqual([]);
  });

  test("where its home is gone, and says so", async () => {
    const lab = await labOf([ASKS], { home: "own" });
    await runLab(lab);
    const home = homesName({ plan: lab.plan.id, slug: "A" });
    rmSync(join(lab.aside, "state/lockstep/blobs", home, "worker"), { recursive: true });
    const [item] = await lab.context.store.openItems(lab.project.id, lab.plan.id, 10);
    await submit(lab, { type: "item.answer", item: item!.id, option: "retry", text: null });
    expect((await runLab(lab)).outcome).toBe("done");
    expect((await sessions(lab)).map((each) => (each as unknown[])[1])).toEqual(["s-1", "s-2"]);
    expect(notesOf(lab, 2)).toEqual(["it begins anew, not in the conversation of attempt 1: its home is gone"]);
  });
});
