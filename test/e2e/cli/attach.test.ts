/** `lockstep attach` and `run --host tmux`, as people use them. */

import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { Lab, type Refusal } from "./lab.ts";
import { INTERRUPT, onTerminal } from "./pseudo-terminal.ts";

/** Says that it is at work, and ends once it may. */
const CONFIG = `
agents:
  slow: {adapter: command, command: [bash, -c, "echo first words; touch at-work; until test -e go; do sleep 0.02; done; echo last words"]}
  bad: {adapter: command, command: [bash, -c, "echo too bad; exit 3"]}
defaults: {agent: slow, retry_delay: 1ms, tries: 1}
`;
const PLAN = { plan: "p", tasks: [{ id: "A", title: "Task A", verify: "test -d ." }] };

function attachLab(): Lab {
  const lab = new Lab({ config: CONFIG });
  onTestFinished(() => {
    lab.write("go", "");
    tmux(lab, "kill-server");
  });
  return lab;
}

/** What lockstep's own server answers; empty where there is none. */
function tmux(lab: Lab, ...args: string[]): string {
  try {
    const socket = join(lab.base, "state/lockstep/tmux.sock");
    return execFileSync("tmux", ["-S", socket, ...args], { encoding: "utf8", stdio: "pipe", env: lab.env }).trim();
  } catch {
    return "";
  }
}

/** A run whose agent has said its first words. */
async function atWork(lab: Lab, ...args: string[]): Promise<{ ended: Promise<number | null> }> {
  await lab.load(PLAN);
  const run = lab.start(["run", ...args]);
  const ended = once(run, "close").then(([code]) => code as number | null);
  await expect.poll(() => existsSync(join(lab.dir, "at-work")), { timeout: 20_000 }).toBe(true);
  return { ended };
}

describe("attach", () => {
  test("without a terminal prints what the agent has said and says, until the attempt has ended", async () => {
    const lab = attachLab();
    const { ended } = await atWork(lab);
    const attached = lab.start(["attach", "A"]);
    let out = "";
    let err = "";
    attached.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
    attached.stderr.setEncoding("utf8").on("data", (text: string) => (err += text));
    const over = once(attached, "close");
    await expect.poll(() => out).toBe("first words\n");
    lab.write("go", "");
    expect((await over)[0]).toBe(0);
    expect(out).toBe("first words\nlast words\n");
    expect(err).toBe("attempt 1 of A has ended: succeeded\n");
    expect(await ended).toBe(0);
    const again = await lab.run(["attach", "p/A#1"]);
    expect(again).toEqual({
      code: 0,
      stdout: "first words\nlast words\n",
      stderr: "attempt 1 of A has ended: succeeded\n",
    });
    const json = await lab.run(["attach", "A", "--json"]);
    expect(
      json.stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual([{ task: "A", attempt: 1, text: "first words\nlast words\n" }]);
  });

  test("says how an attempt ended that failed, and refuses what there is not", async () => {
    const lab = attachLab();
    await lab.load({ ...PLAN, tasks: [{ ...PLAN.tasks[0], agent: "bad" }] });
    expect(await lab.json<Refusal>(["attach", "A"], 2)).toMatchObject({
      error: { code: "unknown_attempt", hint: "It has had no attempt yet." },
    });
    expect((await lab.run(["run"])).code).toBe(5);
    expect(await lab.run(["attach", "A"])).toEqual({
      code: 0,
      stdout: "too bad\n",
      stderr: "attempt 1 of A has ended: failed, it ended with 3: too bad\n",
    });
    expect(await lab.json<Refusal>(["attach", "A#2"], 2)).toMatchObject({
      error: { code: "unknown_attempt", message: "A has no attempt 2", hint: "Its attempts are 1 to 1." },
    });
  });

  test("ends with the runner where no engine is left that would settle the attempt", async () => {
    const lab = attachLab();
    await lab.load(PLAN);
    const engine = lab.start(["run"]);
    await expect.poll(() => existsSync(join(lab.dir, "at-work")), { timeout: 20_000 }).toBe(true);
    engine.kill("SIGKILL");
    await once(engine, "close");
    lab.write("go", "");
    const attached = await lab.run(["attach", "A"]);
    expect(attached).toEqual({
      code: 0,
      stdout: "first words\nlast words\n",
      stderr: "attempt 1 of A has ended; the next `lockstep run` settles it\n",
    });
  });

  test("on a terminal shows the session of tmux, which takes no keys but those that leave it", async () => {
    const lab = attachLab();
    const { ended } = await atWork(lab, "--host", "tmux");
    const screen = await onTerminal(lab, ["attach", "A"]);
    await expect.poll(() => screen.output(), { timeout: 20_000 }).toContain("first words");
    expect(screen.output()).toContain("C-b d leaves");
    screen.type(INTERRUPT);
    screen.type("exit\r");
    // What is typed all at once is a paste, and no key of tmux's own.
    await expect.poll(() => tmux(lab, "list-clients")).toContain("read-only");
    expect(tmux(lab, "list-sessions")).toContain("A-1-");
    screen.type("\u0002d");
    expect(await screen.ended).toBe(0);
    expect(screen.output()).toContain("attempt 1 of A goes on");
    const watched = await onTerminal(lab, ["attach", "A"], { env: { TMUX: "/elsewhere,1,0" } });
    await expect.poll(() => watched.output(), { timeout: 20_000 }).toContain("first words");
    lab.write("go", "");
    expect(await watched.ended).toBe(0);
    expect(watched.output()).toContain("attempt 1 of A has ended: succeeded");
    expect(await ended).toBe(0);
    expect(tmux(lab, "list-sessions")).toBe("");
  });

  test("on a terminal shows what is printed where there is no session", async () => {
    const lab = attachLab();
    const { ended } = await atWork(lab);
    const screen = await onTerminal(lab, ["attach", "A"]);
    await screen.shows("first words");
    lab.write("go", "");
    expect(await screen.ended).toBe(0);
    expect(screen.output()).toContain("last words\r\nattempt 1 of A has ended: succeeded");
    expect(await ended).toBe(0);
  });
});

describe("run --host tmux", () => {
  test("OMW-5: is refused before anything is claimed where there is no tmux, also when the configuration asks for it", async () => {
    const lab = attachLab();
    await lab.load(PLAN);
    const bin = join(lab.base, "bin");
    mkdirSync(bin);
    const which = (name: string): string => execFileSync("which", [name], { encoding: "utf8" }).trim();
    for (const name of ["git", "bash", "sh"]) symlinkSync(which(name), join(bin, name));
    const env = { PATH: bin };
    const said =
      "error: tmux cannot be started: spawn tmux ENOENT\nhint: Install tmux 3.0 or later, or run with --host process.\n";
    expect(await lab.run(["run", "--host", "tmux"], { env })).toEqual({ code: 2, stdout: "", stderr: said });
    lab.write("lockstep.yaml", `host: tmux\n${CONFIG}`);
    expect(await lab.run(["run"], { env })).toEqual({ code: 2, stdout: "", stderr: said });
    expect((await lab.json<{ tasks: { attempts: number }[] }>(["plan", "show"])).tasks[0]).toMatchObject({
      attempts: 0,
    });
    lab.write("go", "");
    expect((await lab.run(["run", "--host", "process"])).code).toBe(0);
    const doctor = await lab.json<{ problems: { code: string }[]; fine: { what: string; found: string }[] }>([
      "doctor",
    ]);
    expect(doctor.fine.find(({ what }) => what === "tmux")?.found).toMatch(/^\d+\.\d+/);
    const without = await lab.run(["doctor", "--json"], { env });
    expect(without.code).toBe(1);
    expect(JSON.parse(without.stdout)).toMatchObject({ problems: [{ code: "no_tmux" }] });
  });

  test("another host than these two is refused by name", async () => {
    const lab = attachLab();
    await lab.load(PLAN);
    expect(await lab.run(["run", "--host", "screen"])).toMatchObject({ code: 2, stdout: "" });
    lab.write("lockstep.yaml", "host: screen\n");
    expect((await lab.run(["run"])).code).toBe(2);
  });
});
