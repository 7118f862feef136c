/** What an engine finds in the spools of one that died: other versions, broken files, and very many old ones. */

import fs, { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { attemptsOf, eventsIn, type Lab, makeLab, openLab, runLab, statesIn } from "../../fixtures/lab.ts";
import { AGENT, crashLab, finishes } from "../../fixtures/lab-crash.ts";
import { leftProcesses, startProcess } from "../../fixtures/lab-process.ts";

const PATIENT = `touch "$ASIDE/at-work-$LOCKSTEP_TASK_ID"; until [ -e "$ASIDE/go" ]; do sleep 0.05; done`;

/** Kills the engine when the agents of these tasks are at work. */
async function killEngineAtWork(lab: Lab, tasks: readonly string[]): Promise<void> {
  const { child, ended } = startProcess(lab, { act: { run: true }, point: null });
  for (const task of tasks)
    await expect.poll(() => existsSync(join(lab.aside, `at-work-${task}`)), { timeout: 20_000 }).toBe(true);
  // Its word that the agents run has to be in the store.
  await expect
    .poll(async () => (await eventsIn(lab)).filter(({ type }) => type === "attempt.started").length, {
      timeout: 20_000,
    })
    .toBe(tasks.length);
  child.kill("SIGKILL");
  await ended;
}

function spoolOf(lab: Lab, task: string, n = 1): string {
  return join(lab.aside, "state/lockstep/blobs/attempts", lab.plan.id.slice(-2), lab.plan.id, `${task}-${n}`);
}

/** Waits until the runners of a lab, and all else that it started, have ended. */
async function untilQuiet(lab: Lab): Promise<void> {
  await expect.poll(() => leftProcesses(lab), { timeout: 20_000 }).toEqual([]);
}

const SAID = "its runner speaks version 9 of the spool, and this lockstep reads 1 and 0: it is left to finish";

test("a runner of another version is left to finish: neither adopted nor doubled, told of once, lost by name when it is gone", async () => {
  const lab = await crashLab("repository", { agent: `${PATIENT}; ${AGENT}` });
  await killEngineAtWork(lab, ["A"]);
  const file = join(spoolOf(lab, "A"), "runner.json");
  const words = JSON.parse(readFileSync(file, "utf8")) as object;
  writeFileSync(file, JSON.stringify({ ...words, protocol: 9 }));
  const told = async (): Promise<string[]> =>
    (await eventsIn(lab)).flatMap(({ type, data }) =>
      type === "attempt.reported" ? [(data as { progress: string }).progress] : [],
    );
  for (const engine of [startProcess(lab, { act: { run: true }, point: null }), null]) {
    if (engine === null) break;
    await expect.poll(told, { timeout: 20_000 }).toEqual([SAID]);
    engine.child.kill("SIGKILL");
    await engine.ended;
  }
  const run = runLab({ ...lab, ...(await openLab(lab)) });
  await expect.poll(async () => (await lab.context.store.task(lab.plan.id, "A"))?.lease?.token).toBeDefined();
  expect(await attemptsOf(lab, "A")).toMatchObject([{ n: 1, state: "running" }]);
  writeFileSync(join(lab.aside, "go"), "");
  expect((await run).outcome).toBe("done");
  expect((await eventsIn(lab)).filter(({ type }) => type === "attempt.adopted")).toEqual([]);
  expect(await told()).toEqual([SAID]);
  expect((await attemptsOf(lab, "A")).map(({ outcome, error }) => [outcome, error])).toEqual([
    ["lost", "its runner spoke version 9 of the spool, and this lockstep reads 1 and 0: how it ended is not known"],
    ["succeeded", null],
  ]);
  await finishes(lab);
});

test("OMW: each broken spool is one attempt lost by name, and the engine goes on with the rest", async () => {
  const breaks: Record<string, (dir: string) => void> = {
    whole: () => {},
    end: (dir) => writeFileSync(join(dir, "done.json"), '{"outcome":"succ'),
    owner: (dir) => {
      writeFileSync(join(dir, "runner.json"), "\0\0\0\0");
      writeFileSync(join(dir, "events.jsonl"), "");
      rmSync(join(dir, "done.json"));
    },
    lines: (dir) => {
      const lines = readFileSync(join(dir, "events.jsonl"), "utf8");
      writeFileSync(join(dir, "events.jsonl"), `junk\n${lines}{"n":`);
    },
    gone: (dir) => rmSync(dir, { recursive: true }),
    file: (dir) => {
      rmSync(dir, { recursive: true });
      writeFileSync(dir, "");
    },
  };
  const names = Object.keys(breaks);
  const tasks = names.map((id) => ({ id, verify: "test -d ." }));
  const lab = await makeLab({ kind: "none", agent: PATIENT, tasks, config: { jobs: names.length } });
  await killEngineAtWork(lab, names);
  writeFileSync(join(lab.aside, "go"), "");
  await untilQuiet(lab);
  for (const [name, spoil] of Object.entries(breaks)) spoil(spoolOf(lab, name));
  expect((await runLab({ ...lab, ...(await openLab(lab)) }, { jobs: names.length })).outcome).toBe("done");
  expect(await statesIn(lab)).toEqual(Object.fromEntries(names.map((name) => [name, "verified"])));
  const first = Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, (await attemptsOf(lab, name))[0]!] as const)),
  );
  expect(first["whole"]).toMatchObject({ outcome: "succeeded" });
  expect(first["lines"]).toMatchObject({ outcome: "succeeded", progress: "a line of its runner could not be read" });
  expect(first["end"]?.error).toBe("its runner left an end that cannot be read: done.json holds none");
  expect(first["owner"]?.error).toBe("whose it is cannot be read: runner.json: no owner in it");
  expect(first["gone"]?.error).toBe("its spool is gone");
  expect(first["file"]?.error).toMatch(/^its spool cannot be used: EEXIST: /);
  for (const name of ["end", "owner", "gone", "file"])
    expect((await attemptsOf(lab, name)).map(({ outcome }) => outcome)).toEqual(["lost", "succeeded"]);
});

test("adoption looks at live attempts alone: no list of spools is ever read, however many lie there", async () => {
  const lab = await makeLab({ kind: "none", agent: PATIENT, tasks: [{ id: "A", verify: "test -d ." }] });
  await killEngineAtWork(lab, ["A"]);
  for (let n = 2; n < 50; n++) mkdirSync(spoolOf(lab, "A", n));
  const listed = listedFolders();
  const run = runLab({ ...lab, ...(await openLab(lab)) });
  await expect.poll(async () => (await eventsIn(lab)).some(({ type }) => type === "attempt.adopted")).toBe(true);
  writeFileSync(join(lab.aside, "go"), "");
  expect((await run).outcome).toBe("done");
  expect(listed.filter((path) => path.includes("/blobs"))).toEqual([]);
  // The recorder sees what is listed.
  fs.readdirSync(spoolOf(lab, "A"));
  expect(listed.at(-1)).toBe(spoolOf(lab, "A"));
});

/** Every folder whose names this process asks the system for, from now until the test has ended. */
function listedFolders(): string[] {
  const listed: string[] = [];
  const places = [
    [fs, ["readdir", "readdirSync", "opendir", "opendirSync"]],
    [fs.promises, ["readdir", "opendir"]],
  ] as const;
  for (const [place, names] of places) {
    const functions = place as unknown as Record<string, (...args: unknown[]) => unknown>;
    for (const name of names) {
      const real = functions[name]!;
      functions[name] = (...args) => {
        listed.push(String(args[0]));
        return Reflect.apply(real, place, args);
      };
      onTestFinished(() => {
        functions[name] = real;
        syncBuiltinESMExports();
      });
    }
  }
  syncBuiltinESMExports();
  return listed;
}
