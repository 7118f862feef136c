/** `lockstep run` as a person sees it on a terminal. */

import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { Lab } from "./lab.ts";
import { INTERRUPT, onTerminal } from "./pseudo-terminal.ts";

/** The agent waits for a file named after its task; `stays` waits for ever, with a child of its own. */
const AGENTS = `
agents:
  slow: {adapter: command, command: [bash, -c, "until test -f go-{slug}; do sleep 0.02; done; echo x > {slug}"]}
  stays: {adapter: command, command: [bash, -c, "sleep 600 & wait"]}
  bad: {adapter: command, command: [bash, -c, "exit 3"]}
defaults: {agent: slow, retry_delay: 1ms}
`;

const task = (id: string, more: Record<string, unknown> = {}) => ({
  id,
  title: `Task ${id}`,
  verify: `test -s ${id}`,
  ...more,
});
const CHAIN = { plan: "p", tasks: [task("a"), task("b", { depends_on: ["a"] })] };

const SHOW_CURSOR = "\u001b[?25h";
const HIDE_CURSOR = "\u001b[?25l";

async function running(plan: unknown = CHAIN, options: Parameters<typeof onTerminal>[2] = {}) {
  const lab = new Lab({ config: AGENTS });
  // Agents outlive what started them, whatever becomes of the test.
  onTestFinished(() => ["a", "b"].forEach((id) => void lab.write(`go-${id}`, "")));
  await lab.load(plan);
  const screen = await onTerminal(lab, ["run"], options);
  await screen.shows("▶ a  Task a  #1 by ");
  await screen.shows("started   a");
  return { lab, screen };
}

/** Processes that a lab's commands have started and that still live: each has the lab's state directory in its environment. */
function processesOf(lab: Lab): string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, "latin1").includes(`${lab.base}/`);
    } catch (error) {
      // No process, one of somebody else's, or one that has just ended.
      if (["ENOENT", "ENOTDIR", "EACCES", "ESRCH"].includes((error as NodeJS.ErrnoException).code ?? "")) return false;
      throw error;
    }
  });
}

test("progress is drawn in place, below the lines of what has ended, and leaves nothing behind", async () => {
  const { lab, screen } = await running();
  expect(screen.terminal().isCursorVisible).toBe(false);
  const shown = screen.terminal().lines;
  expect(shown.slice(0, 2)).toEqual(["run started", "started   a  Task a (attempt 1 by slow)"]);
  expect(shown[2]).toMatch(/^p {2}running \d+ s, revision 1$/);
  expect(shown.slice(3, 5)).toEqual([`${"░".repeat(40)}  0.0 %  0 of 2`, "1 pending, 1 in_progress"]);
  expect(shown[5]).toMatch(/^▶ a {2}Task a {2}#1 by slow {2}\d+ s$/);
  expect(shown.slice(6)).toEqual(["waits      1 for tasks that are not verified yet"]);
  lab.write("go-a", "");
  await screen.shows("▶ b  Task b  #1 by slow");
  await screen.shows(`${"█".repeat(20)}${"░".repeat(20)}  50.0 %  1 of 2`);
  lab.write("go-b", "");
  expect(await screen.ended).toBe(0);
  expect(screen.terminal()).toMatchObject({
    isCursorVisible: true,
    lines: [
      "run started",
      "started   a  Task a (attempt 1 by slow)",
      "verified  a",
      "started   b  Task b (attempt 1 by slow)",
      "verified  b",
      "",
      "p: done",
      "100.0 % of 2 tasks: 2 verified",
      "✓ verified  a  Task a",
      "✓ verified  b  Task b",
      "next: `lockstep prove` derives it all again",
    ],
  });
});

test("the first Ctrl-C says what it waits for, the second ends everything and leaves no process", async () => {
  const { lab, screen } = await running({ plan: "p", tasks: [task("a", { agent: "stays" })] });
  screen.type(INTERRUPT);
  await screen.shows("stopping when a has ended; once more to end it now");
  await screen.shows("\nstopping when what is under way has ended; Ctrl-C once more ends it now");
  screen.type(INTERRUPT);
  expect(await screen.ended).toBe(130);
  expect(screen.terminal().isCursorVisible).toBe(true);
  expect(screen.terminal().lines).toContain("p: stopped");
  expect(processesOf(lab)).toEqual([]);
  const { attempts } = await lab.json<{ attempts: unknown[] }>(["task", "show", "a"]);
  expect(attempts).toMatchObject([{ outcome: "interrupted" }]);
});

test("a hang-up that ends the process gives the terminal back as it was", async () => {
  const { lab, screen } = await running();
  process.kill(screen.pid, "SIGHUP");
  await screen.ended;
  expect(screen.output().lastIndexOf(SHOW_CURSOR)).toBeGreaterThan(screen.output().lastIndexOf(HIDE_CURSOR));
  lab.write("go-a", "");
  lab.write("go-b", "");
  expect((await lab.run(["run"])).code).toBe(0);
});

test("a terminal that is made narrower is drawn on anew, also while nothing moves", async () => {
  const lab = new Lab({ config: AGENTS });
  await lab.load({ plan: "p", tasks: [task("a", { agent: "bad", retry_delay: "1h" })] });
  const screen = await onTerminal(lab, ["run"]);
  await screen.shows("next       due in 4 min");
  execFileSync("stty", ["-F", readlinkSync(`/proc/${screen.pid}/fd/1`), "cols", "40"]);
  await screen.shows(`\n${"░".repeat(25)}  0.0 %  0 of 1`);
  screen.type(INTERRUPT);
  expect(await screen.ended).toBe(130);
});

test("a title steers no terminal, and NO_COLOR leaves only what moves the cursor", async () => {
  const evil = {
    plan: "p",
    tasks: [task("a", { title: "Task a" }), task("b", { title: "\u202eb 購物車", depends_on: ["a"] })],
  };
  const { lab, screen } = await running(evil, { env: { NO_COLOR: "1" } });
  lab.write("go-a", "");
  await screen.shows("▶ b  �b 購物車  #1 by slow");
  lab.write("go-b", "");
  expect(await screen.ended).toBe(0);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
  expect(screen.output()).not.toMatch(/\u001b\[\d+m|\u202e/);
});

test("a second run follows on its own terminal, and says who carries the run", async () => {
  const { lab, screen } = await running();
  const follower = await onTerminal(lab, ["run", "p"]);
  await follower.shows(`, carried by process ${screen.pid}, revision 1`);
  follower.type(INTERRUPT);
  expect(await follower.ended).toBe(130);
  expect(follower.terminal().isCursorVisible).toBe(true);
  lab.write("go-a", "");
  lab.write("go-b", "");
  expect(await screen.ended).toBe(0);
});

test("status shows the same once, as wide as the terminal", async () => {
  const { lab, screen } = await running();
  const status = await onTerminal(lab, ["status"], { columns: 40 });
  expect(await status.ended).toBe(0);
  expect(status.terminal().lines.slice(1)).toEqual([
    `${"░".repeat(25)}  0.0 %  0 of 2`,
    "1 pending, 1 in_progress",
    expect.stringMatching(/^▶ a {2}Task a {2}#1 by slow {2}\d+ s$/),
    "waits      1 for tasks that are not ver…",
  ]);
  lab.write("go-a", "");
  lab.write("go-b", "");
  expect(await screen.ended).toBe(0);
});
