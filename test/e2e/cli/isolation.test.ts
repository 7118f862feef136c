/** What an agent sees, has and leaves, from the command line. */

import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { sandboxProblem } from "../../../src/adapters/processes/sandbox.ts";
import { Lab } from "./lab.ts";

const problem = await sandboxProblem(process.env["PATH"]!);

const SECRET = "a/very+private=value-1";

const bash = (script: string, more: object = {}): object => ({
  adapter: "command",
  command: ["bash", "-c", script],
  ...more,
});

function labWith(agent: object, { git = false } = {}): Lab {
  return new Lab({
    git,
    config: JSON.stringify({ agents: { worker: agent }, defaults: { agent: "worker", tries: 1 } }),
  });
}

async function load(lab: Lab, verify: string): Promise<void> {
  await lab.load({ plan: "p", tasks: [{ id: "a", verify }] });
}

function inHome(lab: Lab, name: string, text: string): void {
  const file = join(lab.base, "home", name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** All files below a directory that hold a text. */
function holding(dir: string, text: string): string[] {
  return readdirSync(dir, { recursive: true, encoding: "utf8" }).filter((name) => {
    const file = join(dir, name);
    return statSync(file, { throwIfNoEntry: false })?.isFile() && readFileSync(file, "latin1").includes(text);
  });
}

test("an agent in a home of its own has what is shared, git's settings, and no variable of the engine", async () => {
  const script = [
    "env > seen; echo renewed > ~/.tool/auth; echo mine > ~/own; touch $TMPDIR/x",
    "ls -A ~ > listed; git config user.name >> listed",
  ].join("; ");
  const lab = labWith(bash(script, { home: "own", share: ["~/.tool/auth"] }));
  inHome(lab, ".tool/auth", "old");
  inHome(lab, ".tool/private", "p");
  await load(lab, "test -s seen");
  expect((await lab.run(["run"], { env: { ENGINE: "e", npm_config_cache: "/c" } })).code).toBe(0);
  const seen = readFileSync(join(lab.dir, "seen"), "utf8");
  expect(seen).not.toMatch(/^(ENGINE|XDG_|GIT_CONFIG_GLOBAL)/m);
  expect(seen).toMatch(/^HOME=.*\/lockstep\/blobs\/homes\/..\/.+\/a\/worker$/m);
  expect(seen).toMatch(/^TMPDIR=.*\/lockstep\/blobs\/tmp\/..\/[0-9a-f]{8}$/m);
  expect(seen).toMatch(/^npm_config_cache=\/c$/m);
  expect(existsSync(/^TMPDIR=(.*)$/m.exec(seen)![1]!)).toBe(false);
  expect(readFileSync(join(lab.dir, "listed"), "utf8")).toBe(
    ".bash_profile\n.gitconfig\n.profile\n.tool\n.zprofile\nown\nAnna\n",
  );
  expect(readFileSync(join(lab.base, "home/.tool/auth"), "utf8")).toBe("renewed\n");
  expect(existsSync(join(lab.base, "home/own"))).toBe(false);
});

test("a home stays for the next attempt of its task, and goes when the task is verified", async () => {
  const lab = labWith(bash("test -e ~/session && exit 0; echo s > ~/session; exit 1", { home: "own", share: [] }));
  await lab.load({ plan: "p", tasks: [{ id: "a", verify: "true", unchecked: true, tries: 2 }] });
  expect((await lab.run(["run"])).code).toBe(0);
  const { attempts } = await lab.json<{ attempts: unknown[] }>(["task", "show", "a"]);
  expect(attempts).toMatchObject([{ outcome: "failed" }, { outcome: "succeeded" }]);
  expect(holding(join(lab.base, "state/lockstep/blobs"), "s\n").filter((name) => name.startsWith("homes"))).toEqual([]);
});

test("a value that a variable refers to reaches the agent, and is written nowhere", async () => {
  const script =
    'echo "$KEY" > "$OUT"; echo "it is $KEY"; lockstep self progress "have $KEY"; echo "last: $KEY" >&2; exit 1';
  const lab = labWith(bash(script, { env: { KEY: "$SHOP_VALUE", OUT: "$OUT_FILE" } }));
  await load(lab, "test -e x");
  const out = join(lab.base, "out");
  expect((await lab.run(["run"], { env: { SHOP_VALUE: SECRET, OUT_FILE: out } })).code).toBe(5);
  expect(readFileSync(out, "utf8")).toBe(`${SECRET}\n`);
  expect(holding(join(lab.base, "state"), SECRET)).toEqual([]);
  const shown = JSON.stringify(await lab.json(["task", "show", "a"]));
  expect(shown).toContain("last: [redacted]");
  expect((await lab.run(["logs", "a"])).stdout).toContain("it is [redacted]");
});

test("an agent whose program is not there is an error before anything starts, and costs no try", async () => {
  const lab = labWith({ adapter: "goose" });
  await load(lab, "test -d .");
  const ran = await lab.run(["run"]);
  expect(ran).toMatchObject({ code: 2 });
  expect(ran.stderr).toContain("agent worker: there is no program goose");
  expect(await lab.json(["task", "show", "a"])).toMatchObject({ state: "pending", attempts: [] });
});

test("a server of tools that refers to what its agent does not have is an error before anything starts", async () => {
  const lab = new Lab();
  const notes = { url: "http://127.0.0.1:7/mcp", headers: { Authorization: "Bearer $NOTES_TOKEN" } };
  const worker = { adapter: "claude", command: ["true"], mcp: { notes } };
  lab.write("lockstep.yaml", `${JSON.stringify({ agents: { worker }, workspace: { mode: "none" } })}\n`);
  await lab.load({ plan: "p", tasks: [{ id: "a", title: "A", agent: "worker", verify: "test -d ." }] });
  const ran = await lab.run(["run"], { env: { NOTES_TOKEN: "t" } });
  expect(ran).toMatchObject({ code: 2 });
  expect(ran.stderr).toContain("agent worker: its server notes refers to NOTES_TOKEN, which the agent does not have");
  expect(ran.stderr).toContain("Name NOTES_TOKEN in pass_env of the agent in lockstep.yaml");
});

test("a variable that refers to one that is not set is an error before anything starts", async () => {
  const lab = labWith(bash("true", { env: { KEY: "$SHOP_VALUE" } }));
  await load(lab, "test -e x");
  const ran = await lab.run(["run"]);
  expect(ran).toMatchObject({ code: 2, stdout: "" });
  expect(ran.stderr).toContain("agent worker: its variable KEY refers to SHOP_VALUE, which is not set");
  expect((await lab.json<{ attempts: unknown[] }>(["task", "show", "a"])).attempts).toEqual([]);
  const examined = await lab.run(["doctor"]);
  expect(examined.stdout).toContain("unset_variable: agent worker: its variable KEY refers to SHOP_VALUE");
});

test("a key that would have an agent billed is not passed on, and that is said at the start and by doctor", async () => {
  const lab = labWith({ adapter: "claude", command: ["bash", "-c", "env > seen"] });
  await load(lab, "test -e x");
  const env = { ANTHROPIC_API_KEY: "k", CLAUDE_CODE_USE_BEDROCK: "1" };
  const note =
    "agent worker: ANTHROPIC_API_KEY, CLAUDE_CODE_USE_BEDROCK are set and not passed on; pass_env: [ANTHROPIC_API_KEY, CLAUDE_CODE_USE_BEDROCK] would pass them";
  expect((await lab.run(["run"], { env })).stderr).toContain(note);
  expect(readFileSync(join(lab.dir, "seen"), "utf8")).not.toMatch(/ANTHROPIC|BEDROCK/);
  expect((await lab.run(["doctor"], { env })).stdout).toContain(note);
});

// The pipeline installs bubblewrap; a machine on which it cannot work has nothing to show here.
describe.skipIf(problem !== null)(`an agent in a sandbox${problem === null ? "" : ` (${problem})`}`, () => {
  test("tells its runner how far it is, though it has no network", async () => {
    const agent = bash('lockstep self progress "half way" && touch told', { sandbox: "bwrap", network: "off" });
    const lab = labWith(agent, { git: true });
    await load(lab, "test -e told");
    expect(await lab.run(["run"])).toMatchObject({ code: 0 });
    expect((await lab.run(["events"])).stdout).toContain("half way");
  });

  test("works in its worktree and commits, and neither reads nor writes the rest of the home", async () => {
    const script = [
      "cat ~user/x /dev/null 2>/dev/null; (cat $REAL/private; echo x > $REAL/new; echo y > $REAL/.tool/auth; ls -A $REAL) > tried 2>&1",
      'common=$(git rev-parse --git-common-dir); (echo x > "$common/hooks/post-commit"; git config user.name Eve) >> tried 2>&1',
      "lockstep self progress working; echo done > work; git add work; git commit --quiet -m work",
    ].join("\n");
    const agent = bash(script, { sandbox: "bwrap", home: "own", share: ["~/.tool/auth"], env: { REAL: "$REAL_HOME" } });
    const lab = labWith(agent, { git: true });
    inHome(lab, "private", "the user's own");
    inHome(lab, ".tool/auth", "old");
    await load(lab, "test -s work");
    const ran = await lab.run(["run"], { env: { REAL_HOME: join(lab.base, "home") } });
    expect(ran).toMatchObject({ code: 0 });
    const tried = lab.git("show", "lockstep/p:tried");
    expect(tried).not.toContain("the user's own");
    expect(tried).toContain("private: No such file or directory");
    expect(tried).toContain("hooks/post-commit: Read-only file system");
    expect(tried.split("\n")).toContain(".tool");
    expect(existsSync(join(lab.base, "home/new"))).toBe(false);
    expect(readFileSync(join(lab.base, "home/.tool/auth"), "utf8")).toBe("y\n");
    expect(lab.git("log", "--format=%an", "lockstep/p")).not.toContain("Eve");
    expect(await lab.json(["prove"])).toMatchObject({ ok: true });
  });
});
