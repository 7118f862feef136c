import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import type { CheckEnd, CheckRequest, CommandRequest } from "../../ports/processes.ts";
import { identify } from "./identity.ts";
import { localProcesses } from "./local-processes.ts";

const LINUX = process.platform === "linux";
const MIB = 1024 * 1024;
const dir = mkdtempSync(join(tmpdir(), "lockstep 'checks' "));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const env = { PATH: process.env["PATH"] ?? "", HOME: dir };
const processes = localProcesses({ graceMs: 100 });
let files = 0;

function request(command: string, more: Partial<CheckRequest> = {}): CheckRequest {
  files += 1;
  return { command, cwd: dir, timeoutMs: 20_000, env, logFile: join(dir, `${files}.log`), ...more };
}

async function check(command: string, more: Partial<CheckRequest> = {}): Promise<CheckEnd> {
  return (await processes.holdCheck(request(command, more))).release();
}

async function run(argv: [string, ...string[]], more: Partial<CommandRequest> = {}): Promise<CheckEnd> {
  const { command: _, ...rest } = request("");
  return (await processes.holdCommand({ ...rest, argv, stdin: "", ...more })).release();
}

/** Process ids that a command printed, one a line. */
function pidsIn(tail: string): number[] {
  return tail
    .split("\n")
    .map(Number)
    .filter((pid) => pid > 0);
}

describe("a check's command runs as with `bash -c`", () => {
  test.each<[string, string, CheckEnd["outcome"], number, string]>([
    ["exit 0", "true", "green", 0, ""],
    ["an empty command", "", "green", 0, ""],
    ["another exit", "echo no; exit 3", "red", 3, "no\n"],
    ["an exit of 125", "exit 125", "red", 125, ""],
    ["exec", "exec printf x", "green", 0, "x"],
    [
      "an unknown program",
      "no-such-program-here",
      "red",
      127,
      "bash: line 1: no-such-program-here: command not found\n",
    ],
    ["its name and no arguments", 'echo "$0|$1|$#"', "green", 0, "bash||0\n"],
    ["set -e", "set -e\nfalse\necho unreached", "red", 1, ""],
    ["many lines and their numbers", "a=1\necho $a $LINENO\n", "green", 0, "1 2\n"],
    ["a here-document", "cat <<EOF\none\n$((1+1))\nEOF", "green", 0, "one\n2\n"],
    ["a comment first", "# nothing\necho x", "green", 0, "x\n"],
    ["a signal of its own", "kill -9 $$", "red", 137, ""],
    ["both outputs in order", "echo 1; echo 2 >&2; echo 3", "green", 0, "1\n2\n3\n"],
    ["an empty standard input", "cat; echo $?", "green", 0, "0\n"],
    [
      "no descriptor left over",
      "for f in 3 4 5 6 7 8 9; do ( : >&$f ) 2>/dev/null && echo $f; done; true",
      "green",
      0,
      "",
    ],
    ["a closed output", "exec >&- 2>&-; echo x", "red", 1, ""],
  ])("%s", async (_, command, outcome, exit_code, tail) => {
    expect(await check(command)).toEqual({ outcome, exit_code, tail, ms: expect.any(Number), forced: false });
  });

  test("what does not parse is red with 2, and says where", async () => {
    const end = await check("if )");
    expect(end).toMatchObject({ outcome: "red", exit_code: 2 });
    expect(end.tail).toContain("line 1: syntax error near unexpected token `)'");
    expect(await check("echo before\nif )")).toMatchObject({
      outcome: "red",
      exit_code: 2,
      tail: expect.stringMatching(/^before\n.*line 2/),
    });
  });
});

test("a check that cannot be started is an error with 127 that says why", async () => {
  const gone = join(dir, "gone");
  expect(await check("true", { cwd: gone })).toEqual({
    outcome: "error",
    exit_code: 127,
    tail: `the directory is gone: ${gone}`,
    ms: 0,
    forced: false,
  });
  expect(await check("true", { env: { PATH: gone } })).toMatchObject({
    outcome: "error",
    exit_code: 127,
    tail: "bash cannot be started: spawn bash ENOENT",
  });
  expect(await check("true \0")).toMatchObject({ outcome: "error", exit_code: 127 });
  expect(await check("true", { logFile: join(gone, "log") })).toMatchObject({
    outcome: "error",
    exit_code: 127,
    tail: expect.stringContaining("ENOENT"),
  });
  const held = await processes.holdCheck(request("true", { cwd: gone }));
  expect(held.process).toBeNull();
  await held.abandon();
});

test("nothing of a held check has run, and an abandoned one never does", async () => {
  const file = join(dir, "touched");
  const held = await processes.holdCheck(request(`touch '${file.replaceAll("'", "'\\''")}'`));
  expect(processes.alive(held.process!)).toBe(true);
  await held.abandon();
  expect(processes.alive(held.process!)).toBe(false);
  expect(existsSync(file)).toBe(false);
});

test("a check over its time is ended with everything it started, also when it ignores SIGTERM", async () => {
  const end = await check("trap '' TERM; (trap '' TERM; echo $BASHPID; while :; do sleep 0.05; done) & wait; wait", {
    timeoutMs: 200,
  });
  expect(end).toMatchObject({ outcome: "timed_out", exit_code: 124 });
  for (const pid of pidsIn(end.tail)) expect(identify(pid)).toBeNull();
  expect(pidsIn(end.tail)).toHaveLength(1);
});

test("a background child that holds the output neither delays the end nor outlives it", async () => {
  const end = await check("sleep 1000 & echo $!; exit 0");
  expect(end).toMatchObject({ outcome: "green", exit_code: 0 });
  expect(end.ms).toBeLessThan(5_000);
  expect(pidsIn(end.tail).map(identify)).toEqual([null]);
});

test.runIf(LINUX)("what left the process group is found by its mark", async () => {
  const end = await check(
    "setsid sleep 1000 & setsid bash -c 'sleep 1000 & echo $! $$; wait' & sleep 0.3; pgrep -f 'sleep 1000' >/dev/null; echo $!",
  );
  expect(end.outcome).toBe("green");
  for (const pid of pidsIn(end.tail.replaceAll(" ", "\n"))) expect(identify(pid)).toBeNull();
  expect(pidsIn(end.tail.replaceAll(" ", "\n")).length).toBe(3);
});

test("an aborted check is killed, before and after it was let go", async () => {
  const controller = new AbortController();
  const held = await processes.holdCheck(request("sleep 1000", { signal: controller.signal }));
  const ending = held.release();
  controller.abort();
  expect(await ending).toMatchObject({ outcome: "killed", exit_code: 143 });
  const file = join(dir, "aborted");
  expect(await check("touch aborted", { signal: controller.signal })).toMatchObject({
    outcome: "killed",
    exit_code: 143,
  });
  expect(existsSync(file)).toBe(false);
});

test("a gigabyte of output is kept as its first MiB, its last 8 MiB, and a line between", async () => {
  const asked = request("echo first; head -c 1000000000 /dev/zero; echo; echo last", { timeoutMs: 60_000 });
  const end = await (await processes.holdCheck(asked)).release();
  expect(end).toMatchObject({ outcome: "green", tail: expect.stringMatching(/\nlast\n$/) });
  const note = `\n[lockstep: ${1_000_000_012 - 9 * MIB} bytes cut here]\n`;
  expect(statSync(asked.logFile).size).toBe(9 * MIB + note.length);
  const kept = readFileSync(asked.logFile);
  expect(kept.toString("latin1", 0, 6)).toBe("first\n");
  expect(kept.toString("latin1", MIB, MIB + note.length)).toBe(note);
  expect(readdirSync(dir)).not.toContain(`${files}.log.cut`);
}, 60_000);

test("an output beyond its bound ends the check, and its last line says so", async () => {
  const bounded = localProcesses({ outputBytesMax: 20 * MIB });
  const end = await (await bounded.holdCheck(request("cat /dev/zero"))).release();
  expect(end).toMatchObject({ outcome: "red", exit_code: 137 });
  expect(end.tail).toMatch(/\n\[lockstep: killed: more than 20971520 bytes of output\]\n$/);
});

test("invalid UTF-8 is decoded leniently and kept as it was in the file", async () => {
  const asked = request("printf 'a\\xff\\xc3b'");
  expect((await (await processes.holdCheck(asked)).release()).tail).toBe("a\ufffd\ufffdb");
  expect(readFileSync(asked.logFile).toString("latin1")).toBe("a\xff\xc3b");
});

test("a parent that dies takes its held check with it, unrun", async () => {
  const script = join(dir, "holds.mjs");
  const asked = request("touch ran");
  writeFileSync(
    script,
    `import { localProcesses } from ${JSON.stringify(pathToFileURL(join(import.meta.dirname, "local-processes.ts")).href)};
     const held = await localProcesses().holdCheck(${JSON.stringify(asked)});
     console.log(JSON.stringify(held.process));
     setInterval(() => {}, 1000);`,
  );
  const parent = spawn(process.execPath, ["--import", import.meta.resolve("tsx"), script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await once(parent.stdout, "data");
  const identity = JSON.parse(String(line));
  expect(processes.alive(identity)).toBe(true);
  parent.kill("SIGKILL");
  await expect.poll(() => processes.alive(identity), { timeout: 5_000 }).toBe(false);
  expect(existsSync(join(dir, "ran"))).toBe(false);
});

describe("kill", () => {
  test("ends the process and its group, whatever they ignore", async () => {
    const held = await processes.holdCheck(request("trap '' TERM; sleep 1000 & echo $!; wait; wait"));
    const ending = held.release();
    await processes.kill(held.process!);
    expect(processes.alive(held.process!)).toBe(false);
    const end = await ending;
    for (const pid of pidsIn(end.tail)) expect(identify(pid)).toBeNull();
  });

  test("leaves a process alone that only has the same number", async () => {
    const child = spawn("sleep", ["1000"], { detached: true });
    const identity = identify(child.pid!)!;
    await processes.kill({ ...identity, start: "1" });
    await processes.kill({ ...identity, boot: "another boot" });
    expect(processes.alive(identity)).toBe(true);
    await processes.kill(identity);
    expect(processes.alive(identity)).toBe(false);
  });

  test.runIf(LINUX)("ends what a check left whose leader ended unseen", async () => {
    const child = spawn("bash", ["-c", "sleep 1000 & echo $!; read -r _"], {
      detached: true,
      env: { ...env, LOCKSTEP_CHECK: "x" },
      stdio: ["pipe", "pipe", "ignore"],
    });
    const identity = identify(child.pid!)!;
    const [line] = await once(child.stdout, "data");
    child.stdin.end();
    if (child.exitCode === null) await once(child, "exit");
    expect(identify(Number(String(line)))).not.toBeNull();
    await processes.kill(identity);
    await expect.poll(() => identify(Number(String(line)))).toBeNull();
  });
});

describe("a program without a shell", () => {
  test("gets its arguments as they are and its prompt on standard input", async () => {
    const asked = "$(touch x) '; touch x; '";
    expect(await run(["printf", "%s", asked])).toMatchObject({ outcome: "green", tail: asked });
    expect(await run(["cat"], { stdin: "prompt\n" })).toMatchObject({ outcome: "green", tail: "prompt\n" });
  });

  test("may end without reading its prompt", async () => {
    expect(await run(["true"], { stdin: "x".repeat(10 * MIB) })).toMatchObject({ outcome: "green", exit_code: 0 });
    expect(await run(["bash", "-c", "exec <&-; sleep 0.1; exit 4"], { stdin: "x".repeat(10 * MIB) })).toMatchObject({
      outcome: "red",
      exit_code: 4,
    });
  });

  test("that ends leaves nothing behind that holds its input or output", async () => {
    const end = await run(["bash", "-c", "sleep 1000 & echo $!"], { stdin: "x".repeat(10 * MIB) });
    expect(end).toMatchObject({ outcome: "green" });
    expect(pidsIn(end.tail).map(identify)).toEqual([null]);
  });

  test("is ended when its time is up", async () => {
    expect(await run(["sleep", "1000"], { timeoutMs: 50 })).toMatchObject({ outcome: "timed_out", exit_code: 124 });
  });

  test("is an error when there is none, or it is no program, or its directory is gone", async () => {
    const error = (tail: string) => ({ outcome: "error", exit_code: 127, tail, ms: 0, forced: false });
    const hint = "give its path, or put its directory on the PATH";
    expect(await run(["no-such-program-here"])).toEqual(error(`no program "no-such-program-here": ${hint}`));
    writeFileSync(join(dir, "data"), "");
    expect(await run(["./data"])).toEqual(error(`no program "./data": ${hint}`));
    expect(await run([dir])).toEqual(error(`no program ${JSON.stringify(dir)}: ${hint}`));
    expect(await run(["true"], { cwd: join(dir, "gone") })).toEqual(
      error(`the directory is gone: ${join(dir, "gone")}`),
    );
  });

  test("is held before it begins", async () => {
    const { command: _, ...rest } = request("");
    const held = await processes.holdCommand({ ...rest, argv: ["touch", "began"], stdin: "x" });
    expect(processes.alive(held.process!)).toBe(true);
    await held.abandon();
    expect(processes.alive(held.process!)).toBe(false);
    expect(existsSync(join(dir, "began"))).toBe(false);
    expect(await run(["-dash"])).toMatchObject({ outcome: "error" });
  });

  test("of bash is a script's and no login's: no start-up file of the user's runs, whatever started lockstep", async () => {
    writeFileSync(join(dir, ".bashrc"), "echo the user's start-up file\n");
    for (const outer of [{}, { SHLVL: "0" }, { SHLVL: "" }, { SHLVL: "3" }])
      expect(await run(["bash", "-c", "echo hi"], { env: { ...env, ...outer } })).toMatchObject({ tail: "hi\n" });
    rmSync(join(dir, ".bashrc"));
  });
});

test.runIf(LINUX)("hundreds of checks in a row leave no descriptor and no process behind", async () => {
  await check("true");
  const descriptors = readdirSync("/proc/self/fd").length;
  for (let index = 0; index < 300; index += 1) expect((await check("true")).outcome).toBe("green");
  expect(readdirSync("/proc/self/fd").length).toBeLessThanOrEqual(descriptors + 1);
  expect(
    readFileSync("/proc/self/task/self/children".replace("self/children", `${process.pid}/children`), "utf8"),
  ).toBe("");
});

test("a secret that a check prints is left neither in its log nor in its tail", async () => {
  const secret = `gh${"p"}_${"aB3d".repeat(9)}`;
  const asked = request(
    `printf 'before ${secret} after\\n'; head -c 20000000 /dev/zero | tr '\\0' x; echo; echo ${secret}`,
  );
  const end = await (await processes.holdCheck(asked)).release();
  expect(end.tail.endsWith("x\n[redacted]\n")).toBe(true);
  const log = readFileSync(asked.logFile, "utf8");
  expect(log).toContain("before [redacted] after");
  expect(log).not.toContain(secret);
});

test("what is heard before it is written is heard as it was printed, and can be opened by its name", async () => {
  const heard: string[] = [];
  const output = {
    take: (bytes: Buffer) => {
      heard.push(bytes.toString());
      return Buffer.from(bytes.toString().replaceAll("hush", "****"));
    },
    end: () => Buffer.from("the end\n"),
  };
  const end = await run(["bash", "-c", "echo hush; echo hush > /dev/stderr; echo hush > /dev/stdout; exit 3"], {
    output,
  });
  expect(heard.join("")).toBe("hush\nhush\nhush\n");
  expect(end).toMatchObject({ outcome: "red", exit_code: 3, tail: "****\n****\n****\nthe end\n" });
});

test("whoever still holds the output when all that can be found is dead is not waited for", async () => {
  const output = { take: (bytes: Buffer) => Buffer.from(bytes), end: () => Buffer.alloc(0) };
  const bare = localProcesses({}, "group");
  const { command: _, ...rest } = request("");
  const script = "echo said; env -i setsid bash -c 'cd /; exec -a holds-the-output sleep 20' & sleep 0.2; exit 0";
  const held = await bare.holdCommand({ ...rest, argv: ["bash", "-c", script], stdin: "", output });
  const began = performance.now();
  expect(await held.release()).toMatchObject({ outcome: "green", tail: "said\n" });
  expect(performance.now() - began).toBeLessThan(5_000);
});
