import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, realpathSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { againIfKilled, GitKilled, gitIn } from "./git.ts";

const LONG_AGO = new Date(Date.now() - 60_000);
const PERSON = ["-c", "user.name=A Person", "-c", "user.email=person@localhost"];

async function repository(): Promise<string> {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "lockstep lock's ")));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const git = gitIn(dir);
  await git.text(["init", "-q", "-b", "main", "."]);
  writeFileSync(join(dir, "file"), "one\n");
  await git.text(["add", "-A"]);
  await git.text([...PERSON, "commit", "-q", "-m", "first"]);
  return dir;
}

test.for([
  ["of the index", ".git/index.lock", ["read-tree", "--reset", "HEAD"]],
  ["of a branch", ".git/refs/heads/main.lock", ["update-ref", "refs/heads/main", "HEAD~0", "HEAD"]],
  ["of HEAD", ".git/HEAD.lock", ["checkout", "-q", "--detach"]],
] as const)("a lock %s whose git is dead is removed, and the command said again", async ([, lock, args]) => {
  const dir = await repository();
  writeFileSync(join(dir, lock), "");
  utimesSync(join(dir, lock), LONG_AGO, LONG_AGO);
  await gitIn(dir).text([...args]);
  expect(existsSync(join(dir, lock))).toBe(false);
});

test("a lock of a git that a person is at work with is left alone, however old it is", async () => {
  const dir = await repository();
  const [going, go] = [join(dir, ".git/going"), join(dir, ".git/go")];
  writeFileSync(join(dir, "file"), "two\n");
  const editor = `touch "${going}"; until [ -e "${go}" ]; do sleep 0.05; done; echo theirs >`;
  const person = spawn("git", [...PERSON, "commit", "-q", "-a"], {
    cwd: dir,
    env: { ...process.env, GIT_EDITOR: editor },
  });
  const ended = once(person, "exit");
  await expect.poll(() => existsSync(going), { timeout: 10_000 }).toBe(true);
  const lock = join(dir, ".git/index.lock");
  utimesSync(lock, LONG_AGO, LONG_AGO);
  await expect(gitIn(dir).text(["read-tree", "--reset", "HEAD"])).rejects.toThrow("index.lock");
  writeFileSync(go, "");
  expect(await ended).toEqual([0, null]);
  expect(await gitIn(dir).text(["show", "-s", "--format=%s"])).toBe("theirs");
});

test("what a killed git cut off is done again, and not for ever", async () => {
  let calls = 0;
  const killedTwice = async () => {
    calls += 1;
    if (calls < 3) throw new GitKilled("git was ended by SIGKILL");
    return "done";
  };
  expect(await againIfKilled(killedTwice)).toBe("done");
  const always = againIfKilled(async () => {
    calls += 1;
    throw new GitKilled("git was ended by SIGKILL");
  });
  await expect(always).rejects.toThrow("git was ended by SIGKILL");
  expect(calls).toBe(6);
});
