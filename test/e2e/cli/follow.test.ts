/** A second `lockstep run` while another process is the project's engine: it follows, waits, and takes over. */

import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { hostname } from "node:os";
import { expect, onTestFinished, test } from "vitest";
import { Lab } from "./lab.ts";

/** The agent waits for a file named after its task; `good` does not wait, `bad` does nothing. */
const AGENTS = `
agents:
  slow: {adapter: command, command: [bash, -c, "until test -f go-{slug}; do sleep 0.02; done; echo x > {slug}"]}
  good: {adapter: command, command: [bash, -c, "echo x > {slug}"]}
  bad: {adapter: command, command: [bash, -c, "exit 3"]}
defaults: {agent: slow, retry_delay: 1ms}
`;

const task = (id: string, more: Record<string, unknown> = {}) => ({ id, title: id, verify: `test -s ${id}`, ...more });
const CHAIN = { plan: "p", tasks: [task("a"), task("b", { depends_on: ["a"] })] };

interface Run {
  process: ChildProcess;
  said: { stdout: string; stderr: string };
  /** Resolves when stderr has that text. */
  says(text: string): Promise<void>;
  ended: Promise<number | null>;
}

function start(lab: Lab, ...args: string[]): Run {
  const child = lab.start(args);
  const said = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (said.stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said.stderr += text));
  const ended = once(child, "close").then(([code]) => code as number | null);
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  const says = async (text: string): Promise<void> => {
    while (!said.stderr.includes(text)) {
      const over = ended.then((code) => {
        throw new Error(`ended with ${code} before it said ${JSON.stringify(text)}: ${said.stderr}`);
      });
      await Promise.race([once(child.stderr, "data"), over]);
    }
  };
  return { process: child, said, says, ended };
}

/** A lab with an engine at work on task `a` of plan `p`. */
async function withEngine(plan: unknown = CHAIN) {
  const lab = new Lab({ config: AGENTS });
  // Agents outlive what started them, whatever becomes of the test.
  onTestFinished(() => ["a", "b", "c"].forEach((id) => void lab.write(`go-${id}`, "")));
  await lab.load(plan);
  const engine = start(lab, "run", "p");
  await engine.says("started   a");
  return { lab, engine };
}

async function outcomes(lab: Lab, id: string): Promise<string[]> {
  const shown = await lab.json<{ attempts: { outcome: string }[] }>(["task", "show", `p/${id}`]);
  return shown.attempts.map(({ outcome }) => outcome);
}

async function runsOf(lab: Lab): Promise<number> {
  const { stdout } = await lab.run(["events", "--json"]);
  return stdout.split("\n").filter((line) => line.includes('"run.started"')).length;
}

test("of two runs that start at once one is the engine, and both end with the same code", async () => {
  const lab = new Lab({ config: AGENTS });
  const tasks = [task("a"), task("b", { depends_on: ["a"] }), task("c"), task("d", { agent: "bad", tries: 1 })];
  await lab.load({ plan: "p", tasks: tasks.map((each) => ({ agent: "good", ...each })) });
  const runs = [start(lab, "run"), start(lab, "run"), start(lab, "run")];
  expect(await Promise.all(runs.map(({ ended }) => ended))).toEqual([5, 5, 5]);
  for (const id of ["a", "b", "c"]) expect(await outcomes(lab, id)).toEqual(["succeeded"]);
  expect(await outcomes(lab, "d")).toEqual(["failed"]);
  expect(await runsOf(lab)).toBe(1);
});

test("a follower says who carries the run, tells the same, and ends with the run's code", async () => {
  const { lab, engine } = await withEngine();
  const [people, scripts] = [start(lab, "run", "p"), start(lab, "run", "p", "--json")];
  const hint = "following it; Ctrl-C ends only this, `lockstep stop p` ends the run";
  for (const follower of [people, scripts])
    await follower.says(`process ${engine.process.pid} on ${hostname()} carries p: ${hint}\n`);
  lab.write("go-a", "");
  await people.says("verified  a\nstarted   b");
  lab.write("go-b", "");
  expect(await Promise.all([engine, people, scripts].map(({ ended }) => ended))).toEqual([0, 0, 0]);
  expect(people.said.stderr).toContain("verified  b\n");
  expect(people.said.stdout).toBe(engine.said.stdout);
  const events = scripts.said.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(events.at(-1)).toMatchObject({
    type: "run.ended",
    plan: "p",
    data: { outcome: "done", counts: { verified: 2 } },
  });
});

test("a follower that slept while the run ended begins no other", async () => {
  const { lab, engine } = await withEngine();
  const follower = start(lab, "run", "p");
  await follower.says("following it");
  follower.process.kill("SIGSTOP");
  lab.write("go-a", "");
  lab.write("go-b", "");
  expect(await engine.ended).toBe(0);
  follower.process.kill("SIGCONT");
  expect(await follower.ended).toBe(0);
  expect(follower.said.stdout).toBe(engine.said.stdout);
  expect(await runsOf(lab)).toBe(1);
});

test("when the engine is killed its follower carries the run on, and no work is done twice", async () => {
  const { lab, engine } = await withEngine();
  const follower = start(lab, "run", "p");
  await follower.says("following it");
  engine.process.kill("SIGKILL");
  await follower.says(`process ${engine.process.pid} is gone: carrying the run on\n`);
  lab.write("go-a", "");
  await follower.says("started   b");
  lab.write("go-b", "");
  expect(await follower.ended).toBe(0);
  expect(await lab.json(["status"])).toMatchObject({ counts: { verified: 2 }, run: null });
  for (const id of ["a", "b"])
    expect((await outcomes(lab, id)).filter((outcome) => outcome !== "lost")).toEqual(["succeeded"]);
});

test("of two followers exactly one takes over, and the other follows that one", async () => {
  const { lab, engine } = await withEngine();
  const followers = [start(lab, "run", "p"), start(lab, "run", "p")];
  for (const follower of followers) await follower.says("following it");
  engine.process.kill("SIGKILL");
  const next = await Promise.race(followers.map((each) => each.says("carrying the run on").then(() => each)));
  const other = followers.find((each) => each !== next)!;
  await other.says(`process ${next.process.pid} on `);
  lab.write("go-a", "");
  lab.write("go-b", "");
  expect(await Promise.all(followers.map(({ ended }) => ended))).toEqual([0, 0]);
  expect(other.said.stderr).not.toContain("carrying the run on");
});

test("a signal ends the follower and never the run", async () => {
  const { lab, engine } = await withEngine();
  const [interrupted, terminated] = [start(lab, "run", "p"), start(lab, "run", "p")];
  await Promise.all([interrupted.says("following it"), terminated.says("following it")]);
  interrupted.process.kill("SIGINT");
  terminated.process.kill("SIGTERM");
  expect(await Promise.all([interrupted.ended, terminated.ended])).toEqual([130, 143]);
  expect(interrupted.said.stderr).toMatch(
    new RegExp(`the run goes on, carried by process ${engine.process.pid} on .*; \`lockstep stop p\` ends it\n$`),
  );
  expect(await lab.json(["status"])).toMatchObject({ run: { state: "running" }, active: [{ id: "a" }] });
  lab.write("go-a", "");
  lab.write("go-b", "");
  expect(await engine.ended).toBe(0);
});

test("a follower of a run that is stopped ends as that does", async () => {
  const { lab, engine } = await withEngine();
  const follower = start(lab, "run", "p");
  await follower.says("following it");
  expect((await lab.run(["stop", "p"])).code).toBe(0);
  expect(await Promise.all([engine.ended, follower.ended])).toEqual([0, 0]);
  expect(await lab.json(["status"])).toMatchObject({ run: null, counts: { pending: 2 } });
});

test("a paused run stays paused under the engine that takes it over", async () => {
  const { lab, engine } = await withEngine();
  const follower = start(lab, "run", "p");
  await follower.says("following it");
  expect((await lab.run(["pause", "p"])).code).toBe(0);
  engine.process.kill("SIGKILL");
  await follower.says("carrying the run on");
  expect(await lab.json(["status"])).toMatchObject({ run: { state: expect.stringMatching(/^paus/) } });
  lab.write("go-a", "");
  lab.write("go-b", "");
  expect(await lab.json(["resume", "p"])).toMatchObject({ run: { state: "running" } });
  expect(await follower.ended).toBe(0);
});

test("a dry run needs no engine", async () => {
  const { lab } = await withEngine();
  expect(await lab.json(["run", "p", "--dry-run"])).toMatchObject({
    plan: "p",
    starts: [],
    counts: { in_progress: 1 },
  });
});

const OTHER = { plan: "q", tasks: [task("c", { agent: "good" })] };

test("a run of another plan waits for the engine, says so, and begins when that has ended", async () => {
  const { lab, engine } = await withEngine();
  await lab.load(OTHER, "other.json");
  const waiting = start(lab, "run", "q");
  await waiting.says(" carries p: q begins when that has ended\n");
  const gone = start(lab, "run", "q");
  await gone.says("carries p");
  gone.process.kill("SIGINT");
  expect(await gone.ended).toBe(130);
  expect(gone.said.stderr).toMatch(/nothing of q was started\n$/);
  lab.write("go-a", "");
  lab.write("go-b", "");
  expect(await Promise.all([engine.ended, waiting.ended])).toEqual([0, 0]);
  expect(waiting.said.stderr).toContain("run started\nstarted   c");
});

test("a run that was stopped ends although no engine carries it and another plan has the project's", async () => {
  const lab = new Lab({ git: true });
  const go = (id: string): string => `../go-${id}`;
  onTestFinished(() => ["a", "c"].forEach((id) => void lab.write(go(id), "")));
  lab.write("lockstep.yaml", `${AGENTS.replace("go-", `${lab.base}/go-`)}workspace: {mode: worktree}\n`);
  lab.commit("configure");
  await lab.load({ plan: "p", tasks: [task("a"), task("b", { depends_on: ["a"] })] }, "../p.json");
  await lab.load({ plan: "q", tasks: [task("c")] }, "../q.json");
  const engine = start(lab, "run", "p");
  await engine.says("started   a");
  engine.process.kill("SIGKILL");
  await engine.ended;
  const other = start(lab, "run", "q");
  await other.says("started   c");
  expect((await lab.run(["stop", "p", "--reason", "enough"])).code).toBe(0);
  expect(await lab.json(["wait", "p"])).toMatchObject({ run: { state: "ended", outcome: "stopped" } });
  expect(await outcomes(lab, "a")).toEqual([expect.stringMatching(/^(interrupted|lost)$/)]);
  lab.write(go("c"), "");
  expect(await other.ended).toBe(0);
});

test("whoever waits for a run is told once that nobody carries it any more, and goes on waiting", async () => {
  const { lab, engine } = await withEngine();
  const waiting = start(lab, "wait", "p");
  engine.process.kill("SIGKILL");
  const note = "no engine carries the run of p: `lockstep run p` carries it on\n";
  await waiting.says(note);
  // As long as four looks take.
  const impatient = await lab.run(["wait", "p", "--timeout", "4s"]);
  expect(impatient.code).toBe(124);
  expect(impatient.stderr.split(note)).toHaveLength(2);
  lab.write("go-a", "");
  lab.write("go-b", "");
  expect((await lab.run(["run", "p"])).code).toBe(0);
  expect(await waiting.ended).toBe(0);
  expect(waiting.said).toEqual({ stderr: note, stdout: "p: run done\n" });
});
