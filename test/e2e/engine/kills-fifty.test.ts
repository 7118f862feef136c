/** Fifty live attempts whose engine is killed: the next one adopts them all, and they end as if nothing had happened. */

import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { eventsIn, type Lab, makeLab, openLab, orderOf, runLab, statesIn } from "../../fixtures/lab.ts";
import { leftProcesses, startProcess } from "../../fixtures/lab-process.ts";

const LIVE = 50;
const WAIT = { timeout: 60_000, interval: 100 };

/** Fifty that looked often would be all that this machine does. */
const PATIENT = 'touch "$ASIDE/at-work/$LOCKSTEP_TASK_ID"; until [ -e "$ASIDE/go" ]; do sleep 1; done';

test("fifty live attempts are adopted after a kill -9 of their engine, and each ends well in its first attempt", async () => {
  const tasks = Array.from({ length: LIVE }, (_, index) => ({ id: `T-${index}`, verify: "test -d ." }));
  const lab = await makeLab({
    kind: "none",
    agent: `mkdir -p "$ASIDE/at-work"; ${PATIENT}`,
    tasks,
    config: { jobs: LIVE },
  });
  const { child, ended } = startProcess(lab, { act: { run: true }, point: null });
  await expect.poll(() => startedIn(lab), WAIT).toHaveLength(LIVE);
  await expect.poll(() => readdirSync(join(lab.aside, "at-work")), WAIT).toHaveLength(LIVE);
  const before = await tokensOf(lab);
  child.kill("SIGKILL");
  await ended;

  const began = performance.now();
  const run = runLab({ ...lab, ...(await openLab(lab)) }, { jobs: LIVE });
  await expect.poll(() => adoptedIn(lab), WAIT).toHaveLength(LIVE);
  console.log(`${LIVE} live attempts adopted ${Math.round(performance.now() - began)} ms after the next engine began`);
  writeFileSync(join(lab.aside, "go"), "");
  expect((await run).outcome).toBe("done");

  expect(Object.values(await statesIn(lab))).toEqual(tasks.map(() => "verified"));
  expect(await tokensOf(lab)).toEqual(before);
  const ends = (await eventsIn(lab)).flatMap((event) => (event.type === "attempt.settled" ? [event.data.outcome] : []));
  expect(ends).toEqual(tasks.map(() => "succeeded"));
  expect(leftProcesses(lab)).toEqual([]);
}, 180_000);

const startedIn = (lab: Lab) => orderOf(lab, "attempt.started");
const adoptedIn = (lab: Lab) => orderOf(lab, "attempt.adopted");

/** Of every attempt that there ever was: a second one of a task would show. */
async function tokensOf({ context, plan }: Lab): Promise<string[]> {
  const rows = await context.store.tasks(plan.id, { offset: 0, limit: 200 });
  const attempts = await Promise.all(rows.map(({ id }) => context.store.attempts(plan.id, id)));
  return attempts.flat().map(({ task, n, token }) => `${task}#${n} ${token}`);
}
