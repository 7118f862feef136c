import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import type { CheckEnd, CommandRequest, ProcessIdentity } from "../../ports/processes.ts";
import { localProcesses } from "./local-processes.ts";

const dir = realpathSync(mkdtempSync(join(tmpdir(), "lockstep-contained-")));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const SHORT = { graceMs: 200, commandGraceMs: 5_000 };
const contained = localProcesses(SHORT, "namespace");
const plain = localProcesses(SHORT, "marks");
const env = { PATH: process.env["PATH"]!, HOME: dir, GIVEN: "with 'quotes'\nand lines" };
const hasNamespaces = process.platform === "linux" && (await localProcesses().containment()) === "namespace";
let files = 0;

function request(argv: readonly string[], more: Partial<CommandRequest> = {}): CommandRequest {
  files += 1;
  const logFile = join(dir, `${files}.log`);
  return { argv, cwd: dir, env, stdin: "", timeoutMs: 20_000, logFile, contain: true, ...more };
}

async function run(
  processes: typeof plain,
  argv: readonly string[],
  more?: Partial<CommandRequest>,
): Promise<CheckEnd> {
  return (await processes.holdCommand(request(argv, more))).release();
}

/** What a script of its own prints, which has `processes`, `lines(...)` and the product's modules. */
function script(source: string): string {
  const file = join(dir, `script-${files++}.mjs`);
  const product = (name: string) => JSON.stringify(pathToFileURL(join(import.meta.dirname, name)).href);
  writeFileSync(
    file,
    `import { localProcesses } from ${product("local-processes.ts")};
     import { identify, isAlive } from ${product("identity.ts")};
     const processes = localProcesses();
     const asked = { cwd: ${JSON.stringify(dir)}, env: process.env, stdin: "", timeoutMs: 20_000, contain: true };
     let n = 0;
     const run = async (argv) =>
       (await processes.holdCommand({ ...asked, argv, logFile: ${JSON.stringify(join(dir, "inner"))} + process.pid + n++ })).release();
     ${source}`,
  );
  return file;
}

const NODE = [process.execPath, "--import", import.meta.resolve("tsx")];

describe.runIf(hasNamespaces)("in a namespace of its own a program", () => {
  test.each<[string, string, Partial<CommandRequest>?]>([
    ["ends well", "true"],
    ["fails", "exit 3"],
    ["ends with 125", "exit 125"],
    ["ends with 255", "exit 255"],
    ["kills itself", "kill -9 $$"],
    ["is terminated by itself", "kill $$"],
    ["is hung up by itself", "kill -HUP $$"],
    ["interrupts itself", "kill -INT $$"],
    ["breaks a pipe", "kill -PIPE $$"],
    ["signals its whole group and is deaf", "trap '' TERM; kill 0; echo on"],
    ["hears its group's signal", "trap 'echo heard; exit 5' TERM; kill 0; sleep 5"],
    ["reads its input", "cat; echo $?", { stdin: "prompt\nlines\n" }],
    ["does not read its input", "exit 4", { stdin: "x".repeat(1024 * 1024) }],
    ["looks at its environment", "env | grep -v ^LOCKSTEP_CHECK= | sort"],
    ["looks at its directory", "pwd; ls -d ."],
    ["looks at its descriptors", "ls /proc/self/fd | wc -l"],
    ["looks at its dispositions", "grep ^Sig[BIC] /proc/self/status"],
    ["looks at its limits", "ulimit -a"],
    ["uses job control", "set -m; sleep 0.01 & wait $!; echo $?"],
    ["writes both outputs in order", "echo 1; echo 2 >&2; echo 3"],
    ["is no program", "/", {}],
  ])("that %s ends as anywhere else, with the same output", async (_, command, more = {}) => {
    const argv = command === "/" ? ["/"] : ["bash", "-c", command];
    const { ms: _there, ...there } = await run(plain, argv, more);
    const { ms: _here, ...here } = await run(contained, argv, more);
    expect(here).toEqual(there);
  });

  test("whose file names a missing interpreter fails as anywhere else", async () => {
    writeFileSync(join(dir, "noexec"), "#!/no/such/interpreter\n", { mode: 0o700 });
    const { ms: _there, ...there } = await run(plain, ["./noexec"]);
    const { ms: _here, ...here } = await run(contained, ["./noexec"]);
    expect(here).toEqual(there);
    expect(here.exit_code).not.toBe(0);
  });

  test("without a bash to start it is an error as anywhere else", async () => {
    const bare = { env: { PATH: join(dir, "none") } };
    expect(await run(contained, [process.execPath], bare)).toEqual(await run(plain, [process.execPath], bare));
  });

  test("sees itself and what it starts, and nothing else", async () => {
    const { tail } = await run(contained, ["bash", "-c", "cd /proc; echo [0-9]* $$"]);
    const [init, self, again] = tail.trim().split(" ").map(Number);
    expect([init, self]).toEqual([1, again]);
  });

  test("has none of it running before it is let go, and nothing of it when it is given up", async () => {
    const file = join(dir, "touched");
    const held = await contained.holdCommand(request(["touch", file]));
    expect(contained.alive(held.process!)).toBe(true);
    await held.abandon();
    expect(contained.alive(held.process!)).toBe(false);
    expect(existsSync(file)).toBe(false);
  });

  test("is asked to end before it is killed, also when that is said while it begins", async () => {
    const stop = new AbortController();
    const held = await contained.holdCommand(request(["sleep", "600"], { signal: stop.signal }));
    const ending = held.release();
    stop.abort();
    expect(await ending).toMatchObject({ outcome: "killed", exit_code: 143, forced: false });
    const before = await run(contained, ["touch", "unwanted"], { signal: stop.signal });
    expect(before).toMatchObject({ outcome: "killed", exit_code: 143, forced: false });
    expect(existsSync(join(dir, "unwanted"))).toBe(false);
    const kind = ["bash", "-c", "trap 'echo bye; exit 0' TERM; sleep 600 & wait"];
    expect(await run(contained, kind, { timeoutMs: 300 })).toMatchObject({ outcome: "timed_out", tail: "bye\n" });
  });

  test("is found out without a start-up file of the user's, whatever started lockstep", () => {
    const home = join(dir, "home");
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, ".bashrc"), `touch ${join(dir, "started-up")}\nsleep 600\n`);
    const asking = script("console.log(await processes.containment());");
    const outermost = { PATH: env.PATH, HOME: home };
    const [node, ...args] = [...NODE, asking];
    expect(spawnSync(node!, args, { env: outermost, encoding: "utf8" }).stdout).toBe("namespace\n");
    expect(existsSync(join(dir, "started-up"))).toBe(false);
  });

  test("dies with the process that holds it, unrun", async () => {
    const file = script(
      `const held = await processes.holdCommand({ ...asked, argv: ["touch", "ran"], logFile: ${JSON.stringify(join(dir, "held.log"))} });
       console.log(JSON.stringify(held.process));
       setInterval(() => {}, 1000);`,
    );
    const parent = spawn(NODE[0]!, [...NODE.slice(1), file], { stdio: ["ignore", "pipe", "inherit"] });
    const [line] = await once(parent.stdout, "data");
    const identity = JSON.parse(String(line)) as ProcessIdentity;
    expect(contained.alive(identity)).toBe(true);
    parent.kill("SIGKILL");
    await expect.poll(() => contained.alive(identity), { timeout: 5_000 }).toBe(false);
    expect(existsSync(join(dir, "ran"))).toBe(false);
  });

  test("can hold others in namespaces of their own", async () => {
    const file = script(
      `console.log(await processes.containment(), (await run(["bash", "-c", "echo /proc/[0-9]*; exit 6"])).exit_code);`,
    );
    expect(await run(contained, [...NODE, file])).toMatchObject({ outcome: "green", tail: "namespace 6\n" });
  });

  test("is told apart from the processes outside that have the same number", async () => {
    const said = join(dir, "said");
    const file = script(
      `const { writeFileSync } = await import("node:fs");
       const outer = JSON.parse(process.env.OUTER);
       writeFileSync(process.env.SAID, JSON.stringify({ self: processes.self(), outer: isAlive(outer), dead: isAlive({ ...processes.self(), start: "1" }) }));
       setInterval(() => {}, 1000);`,
    );
    const given = { ...env, OUTER: JSON.stringify(contained.self()), SAID: said };
    const held = await contained.holdCommand(request([...NODE, file], { env: given }));
    const ending = held.release();
    await expect.poll(() => existsSync(said) && readFileSync(said, "utf8") !== "", { timeout: 10_000 }).toBe(true);
    const { self, outer, dead } = JSON.parse(readFileSync(said, "utf8"));
    expect({ outer, dead }).toEqual({ outer: true, dead: false });
    expect(contained.alive(self)).toBe(true);
    await contained.kill(self);
    expect(contained.alive(held.process!)).toBe(true);
    await contained.kill(held.process!);
    await ending;
    expect(contained.alive(self)).toBe(false);
  });

  test("that cannot have one is an error that says why", () => {
    const file = script(
      `await processes.containment();
       (await import("node:fs")).writeFileSync("/proc/sys/user/max_pid_namespaces", "0");
       console.log(JSON.stringify(await run(["true"])));`,
    );
    const { stdout } = spawnSync("unshare", ["--user", "--map-root-user", ...NODE, file], { encoding: "utf8" });
    expect(JSON.parse(stdout)).toMatchObject({
      outcome: "error",
      exit_code: 127,
      tail: expect.stringMatching(/unshare.*: No space left on device$/),
    });
  });
});

test.runIf(process.platform === "linux")(
  "a shortage of file descriptors is an end that says so, and passes when they come free",
  async () => {
    const file = script(
      `const { openSync, closeSync } = await import("node:fs");
       await processes.containment();
       const taken = [];
       const left = await processes.holdCheck({ ...asked, command: "setsid sleep 600 & sleep 0.2", logFile: ${JSON.stringify(join(dir, "left.log"))} });
       for (;;) try { taken.push(openSync("/dev/null")); } catch (error) { if (error.code !== "EMFILE") throw error; break; }
       const alive = isAlive(processes.self());
       await processes.killBearers("NOBODY=bears this");
       const ends = [await left.release()];
       for (let freed = 0; freed < 16; freed++) {
         const log = ${JSON.stringify(join(dir, "check.log"))} + freed;
         ends.push(await run(["true"]), await (await processes.holdCheck({ ...asked, command: "true", logFile: log })).release());
         closeSync(taken.pop());
       }
       console.log(JSON.stringify({ ends, alive }));`,
    );
    const argv = ["-c", 'ulimit -n 48; exec "$@"', "bash", ...NODE, file];
    const { stdout, stderr } = spawnSync("bash", argv, { encoding: "utf8", timeout: 20_000 });
    expect(stderr).toBe("");
    const { ends, alive } = JSON.parse(stdout) as { ends: CheckEnd[]; alive: boolean };
    expect(alive).toBe(true);
    const [first, ...others] = ends;
    expect(first).toMatchObject({ outcome: "green" });
    for (const { outcome, tail } of others) {
      if (outcome === "error") expect(tail).toMatch(/EMFILE|too many open files/i);
      else expect(outcome).toBe("green");
    }
    expect(others[0]).toMatchObject({ outcome: "error", exit_code: 127 });
    expect(others.slice(-2).map(({ outcome }) => outcome)).toEqual(["green", "green"]);
  },
);
