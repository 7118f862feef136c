import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { AWAY, commandLine, livingNamed, newName, TRICKS, UNTIL_READY } from "../../../test/fixtures/left-behind.ts";
import type { CheckEnd, HeldProcess } from "../../ports/processes.ts";
import { identify } from "./identity.ts";
import { localProcesses } from "./local-processes.ts";

const LINUX = process.platform === "linux";
const LEVELS = LINUX ? (["namespace", "marks"] as const) : [];
type Level = (typeof LEVELS)[number];
const SHORT = { graceMs: 100, commandGraceMs: 100 };
const here = LINUX ? await localProcesses().containment() : "group";

/** A worktree of its own with one held program in it, and the same steps after its end as an attempt's runner takes. */
class Leaver {
  readonly dir = realpathSync(mkdtempSync(join(tmpdir(), "lockstep-left-")));
  readonly workspace = join(this.dir, "worktree");
  readonly name = newName();
  readonly processes;
  #held: HeldProcess | null = null;

  constructor(level: Level) {
    this.processes = localProcesses(SHORT, level);
    mkdirSync(this.workspace);
    onTestFinished(() => rmSync(this.dir, { recursive: true, force: true }));
  }

  async hold(script: string, timeoutMs = 20_000): Promise<HeldProcess> {
    const env = { PATH: process.env["PATH"]!, HOME: this.dir, NAME: this.name };
    const where = { cwd: this.workspace, logFile: join(this.dir, "log"), env, stdin: "", timeoutMs };
    this.#held = await this.processes.holdCommand({ argv: ["bash", "-c", script, this.name], contain: true, ...where });
    return this.#held;
  }

  async run(script: string, timeoutMs?: number): Promise<CheckEnd> {
    return this.after((await this.hold(script, timeoutMs)).release());
  }

  async after(ending: Promise<CheckEnd>): Promise<CheckEnd> {
    const end = await ending;
    await this.processes.killInside(this.workspace, this.#held!.process!);
    return end;
  }

  isReady(): boolean {
    return existsSync(join(this.workspace, "ready"));
  }
}

/** What a trick started, which is called by its name; its agent is only given it. */
function isDaemon(pid: number): boolean {
  return commandLine(pid).startsWith("left-");
}

test.runIf(LINUX)("the level is found out by trying, and one that a test asks for is held to", async () => {
  const works = spawnSync("unshare", ["--user", "--map-current-user", "--pid", "--fork", "--mount-proc", "true"]);
  expect(here).toBe(works.status === 0 ? "namespace" : "marks");
  expect(await localProcesses({}, "marks").containment()).toBe("marks");
});

describe.each(LEVELS.filter((level) => level === "marks" || here === "namespace"))(
  "at level %s nothing is left",
  (level) => {
    describe.each(Object.entries(TRICKS))("of %s", (_, trick) => {
      test.each([
        ["ends well", "exit 0", { outcome: "green", exit_code: 0 }],
        ["fails", "exit 3", { outcome: "red", exit_code: 3 }],
        ["dies of a signal", "kill -9 $$", { outcome: "red", exit_code: 137 }],
      ])("when its agent %s", async (_, last, end) => {
        const leaver = new Leaver(level);
        expect(await leaver.run(`${trick}\n${UNTIL_READY}\n${last}`)).toMatchObject(end);
        expect(leaver.isReady()).toBe(true);
        expect(livingNamed(leaver.name)).toEqual([]);
      });

      test("when its agent runs out of time", async () => {
        const leaver = new Leaver(level);
        const end = await leaver.run(`${trick}\n${UNTIL_READY}\nwhile :; do sleep 0.05; done`, 400);
        expect(end).toMatchObject({ outcome: "timed_out", exit_code: 124 });
        expect(livingNamed(leaver.name)).toEqual([]);
      });

      test("field report 2: when its agent is ended by another process than the one that started it", async () => {
        const leaver = new Leaver(level);
        const held = await leaver.hold(`${trick}\n${UNTIL_READY}\nwhile :; do sleep 0.05; done`);
        const ending = held.release();
        await expect.poll(() => leaver.isReady(), { timeout: 10_000, interval: 10 }).toBe(true);
        await localProcesses(SHORT, level).kill(held.process!);
        await leaver.after(ending);
        expect(livingNamed(leaver.name)).toEqual([]);
      });
    });

    test("field report 8: of another attempt's agent everything lives on", async () => {
      const [one, other] = [new Leaver(level), new Leaver(level)];
      const script = `${TRICKS["field report 5: a shell that calls setsid"]}\n${UNTIL_READY}\n`;
      const held = await other.hold(`${script}sleep 1000`);
      const ending = held.release();
      await expect.poll(() => other.isReady(), { timeout: 10_000, interval: 10 }).toBe(true);
      const living = livingNamed(other.name).filter(isDaemon);
      await one.run(`${script}exit 0`);
      expect(livingNamed(one.name)).toEqual([]);
      expect(living).toHaveLength(1);
      expect(livingNamed(other.name)).toEqual(expect.arrayContaining(living));
      await other.processes.kill(held.process!);
      await other.after(ending);
      expect(livingNamed(other.name)).toEqual([]);
    });
  },
);

test.runIf(here === "namespace")(
  "what clears its environment and works elsewhere is held by the namespace alone",
  async () => {
    const contained = new Leaver("namespace");
    expect(await contained.run(`${AWAY}\n${UNTIL_READY}`)).toMatchObject({ outcome: "green" });
    expect(livingNamed(contained.name)).toEqual([]);
    const marked = new Leaver("marks");
    expect(await marked.run(`${AWAY}\n${UNTIL_READY}`)).toMatchObject({ outcome: "green" });
    expect(livingNamed(marked.name)).toHaveLength(1);
  },
);

test.runIf(here === "namespace")("a namespace ends with its leader, however that ends", async () => {
  const leaver = new Leaver("namespace");
  const held = await leaver.hold(`${AWAY}\n${UNTIL_READY}\ntrap '' TERM; while :; do sleep 0.05; done`);
  const ending = held.release();
  await expect.poll(() => leaver.isReady(), { timeout: 10_000, interval: 10 }).toBe(true);
  process.kill(held.process!.pid, "SIGKILL");
  expect(await ending).toMatchObject({ outcome: "red", exit_code: 137 });
  expect(livingNamed(leaver.name)).toEqual([]);
});

test.runIf(here === "namespace")("a namespace ends with its leader when nobody else sees to it", async () => {
  const leaver = new Leaver("namespace");
  const held = await leaver.hold(`: ${leaver.name}`);
  await expect.poll(() => livingNamed(leaver.name)).toHaveLength(2);
  process.kill(held.process!.pid, "SIGKILL");
  await expect.poll(() => livingNamed(leaver.name)).toEqual([]);
  await held.abandon();
});

describe.runIf(LINUX)("the walk over working directories", () => {
  /** A process in the directory that is none of an attempt's. */
  async function inside(dir: string, argv: [string, ...string[]]): Promise<number> {
    const [program, ...args] = argv;
    const child = spawn(program, args, {
      cwd: dir,
      env: { PATH: process.env["PATH"]! },
      detached: true,
      stdio: "ignore",
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    await expect.poll(() => existsSync(join(dir, "ready")), { timeout: 10_000, interval: 10 }).toBe(true);
    return child.pid!;
  }

  const stays = (name: string): [string, ...string[]] => ["bash", "-c", ': > ready; exec -a "$0" sleep 1000', name];

  test("spares a person's shell, which has a terminal", async () => {
    const { workspace, name, processes } = new Leaver("marks");
    await inside(workspace, ["script", "-qec", `bash -c ': > ready; exec -a "$0" sleep 1000' ${name}`, "/dev/null"]);
    const shells = livingNamed(name).filter((pid) => identify(pid) !== null);
    await processes.killInside(workspace, processes.self());
    expect(livingNamed(name)).toContain(shells.at(-1));
  });

  test("spares what was there before, and what is beside", async () => {
    const { dir, workspace, name, processes } = new Leaver("marks");
    const pid = await inside(workspace, stays(name));
    const later = { ...identify(pid)!, start: String(Number(identify(pid)!.start) + 1) };
    await processes.killInside(workspace, later);
    mkdirSync(join(dir, "worktree2"));
    await inside(join(dir, "worktree2"), stays(name));
    await processes.killInside(workspace, later);
    expect(livingNamed(name)).toHaveLength(2);
    await processes.killInside(workspace, { ...processes.self(), boot: "another boot" });
    expect(livingNamed(name)).toHaveLength(2);
    await processes.killInside(workspace, identify(pid)!);
    await expect.poll(() => livingNamed(name)).toHaveLength(1);
  });

  test("field report 7: finds what is left in a directory that has been removed, and follows no link in its place", async () => {
    const { dir, workspace, name, processes } = new Leaver("marks");
    const pid = await inside(workspace, stays(name));
    rmSync(workspace, { recursive: true });
    mkdirSync(join(dir, "a person's"));
    await inside(join(dir, "a person's"), stays(name));
    symlinkSync(join(dir, "a person's"), workspace);
    await processes.killInside(workspace, identify(pid)!);
    await expect.poll(() => livingNamed(name)).toHaveLength(1);
    expect(livingNamed(name)).not.toContain(pid);
  });

  test("field report 7: spares whoever walks and all that it descends from", async () => {
    const { dir, workspace, processes } = new Leaver("marks");
    const walks = join(dir, "walks.mjs");
    const product = pathToFileURL(join(import.meta.dirname, "local-processes.ts")).href;
    writeFileSync(
      walks,
      `import { localProcesses } from ${JSON.stringify(product)};
       await localProcesses().killInside(${JSON.stringify(workspace)}, ${JSON.stringify(processes.self())});`,
    );
    const walk = `"${process.execPath}" --import "${import.meta.resolve("tsx")}" "${walks}"`;
    const child = spawn("bash", ["-c", `setsid sleep 1000 & ${walk}; code=$?; wait $!; echo "$code $?"`], {
      cwd: workspace,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [said] = await once(child.stdout, "data");
    expect(String(said)).toBe("0 137\n");
  });
});
