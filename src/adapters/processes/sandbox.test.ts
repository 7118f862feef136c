import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { CheckEnd, CommandRequest, SandboxView } from "../../ports/processes.ts";
import { localProcesses } from "./local-processes.ts";
import { sandboxArgv, sandboxProblem } from "./sandbox.ts";

const PATH = process.env["PATH"]!;
const problem = await sandboxProblem(PATH);

test("a machine without bubblewrap says what to install, and nothing of the program runs", async () => {
  const base = folder();
  const view: SandboxView = { hidden: [], readable: [], writable: [], network: true };
  if (existsSync("/usr/bin/bwrap") || existsSync("/bin/bwrap")) {
    expect(sandboxArgv(view, { argv: ["true"], cwd: base, env: { PATH } })).toContain("--unshare-pid");
  } else {
    const end = await run(base, { argv: ["touch", join(base, "ran")], sandbox: view });
    expect(end.tail).toBe("it works in a sandbox only: there is no program bwrap: install the package bubblewrap");
    expect(existsSync(join(base, "ran"))).toBe(false);
  }
});

// The pipeline installs bubblewrap; a machine on which it cannot work has nothing to show here.
describe.skipIf(problem !== null)(`a sandbox${problem === null ? "" : ` (${problem})`}`, () => {
  let base: string;
  let home: string;
  let workspace: string;
  let view: SandboxView;
  beforeAll(() => {
    base = realpathSync(mkdtempSync(join(tmpdir(), "lockstep-sandbox-")));
    [home, workspace] = [join(base, "home"), join(base, "workspace")];
    for (const dir of [home, join(home, "own"), workspace, join(workspace, "hooks")]) mkdirSync(dir);
    writeFileSync(join(home, "secret"), "s");
    writeFileSync(join(home, "shown"), "shown");
    view = {
      hidden: [home],
      readable: [join(home, "shown"), join(workspace, "hooks"), join(base, "missing")],
      writable: [workspace, join(home, "own")],
      network: true,
    };
    return () => rmSync(base, { recursive: true, force: true });
  });
  const bash = (script: string, wish: Partial<CommandRequest> = {}): Promise<CheckEnd> =>
    run(workspace, { argv: ["bash", "-c", script], sandbox: view, ...wish });

  test("has of the home what it was given, and the rest of it neither to read nor to write", async () => {
    const end = await bash(
      `ls -A ${home}; cat ${home}/shown; cat ${home}/secret; echo x > ${home}/new; echo y > ${home}/own/kept; echo z > ${home}/shown`,
    );
    expect(end.tail).toContain("own\nshown\nshown");
    expect(end.tail).toContain("secret: No such file or directory");
    expect(end.tail).toContain("shown: Read-only file system");
    expect(existsSync(join(home, "new"))).toBe(false);
    expect(readFileSync(join(home, "own/kept"), "utf8")).toBe("y\n");
  });

  test("writes its workspace but for what is to be read only, and not the system", async () => {
    const end = await bash("echo a > file; echo b > hooks/pre-commit; touch /usr/bin/x /etc/x; ls -A /tmp /run");
    expect(readFileSync(join(workspace, "file"), "utf8")).toBe("a\n");
    expect(end.tail).toContain("hooks/pre-commit: Read-only file system");
    expect(end.tail).toContain("touch: cannot touch '/usr/bin/x': Read-only file system");
    expect(existsSync(join(workspace, "hooks/pre-commit"))).toBe(false);
  });

  test("cannot be left by root either: nothing in it may mount", async () => {
    const end = await bash(`grep CapEff /proc/self/status; umount ${home} 2>&1 || echo stays`);
    expect(end.tail).toMatch(/CapEff:\t0+\n/);
    expect(end.tail).toContain("stays");
  });

  test("has processes of its own, and ends as its program ends", async () => {
    const end = await bash("ls -d /proc/[0-9]* | wc -l; exit 7");
    expect(Number(end.tail.trim())).toBeLessThan(8);
    expect(end).toMatchObject({ outcome: "red", exit_code: 7 });
  });

  test("lets its program end in its own way when it is asked to, and leaves nothing", async () => {
    const stop = new AbortController();
    const ended = bash(
      "trap 'echo bye; exit 0' TERM; (setsid bash -c 'exec -a left-in-sandbox sleep 300' &); echo up > up; while :; do sleep 0.05; done",
      { signal: stop.signal },
    );
    await expect.poll(() => existsSync(join(workspace, "up"))).toBe(true);
    stop.abort();
    const end = await ended;
    expect(end).toMatchObject({ outcome: "killed", forced: false });
    expect(end.tail).toMatch(/bye\n$/);
    const living = await run(base, { argv: ["bash", "-c", "cat /proc/[0-9]*/cmdline | tr '\\0' ' '"], contain: false });
    expect(living.tail).not.toContain("left-in-sandbox 300");
  });

  test("is killed with all that is in it", async () => {
    const kill = new AbortController();
    const ended = bash("trap '' TERM; echo up > deaf; exec -a deaf-in-sandbox sleep 300", { kill: kill.signal });
    await expect.poll(() => existsSync(join(workspace, "deaf"))).toBe(true);
    kill.abort();
    expect(await ended).toMatchObject({ outcome: "killed", forced: true });
  });

  test("has a network unless it is said to have none", async () => {
    const count = "grep -c : /proc/net/dev";
    const all = await bash(count);
    const none = await bash(count, { sandbox: { ...view, network: false } });
    expect(Number(none.tail)).toBe(1);
    expect(Number(all.tail)).toBeGreaterThanOrEqual(1);
  });
});

function folder(): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "lockstep-sandbox-")));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

async function run(cwd: string, wish: Partial<CommandRequest> & Pick<CommandRequest, "argv">): Promise<CheckEnd> {
  const logs = folder();
  const processes = localProcesses({ commandGraceMs: 5_000 });
  const request = { cwd, env: { PATH }, stdin: "", timeoutMs: 20_000, logFile: join(logs, "log"), contain: true };
  return (await processes.holdCommand({ ...request, ...wish })).release();
}
