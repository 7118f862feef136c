import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  a1,
  b1,
  candidate,
  commitAll,
  git,
  gitAt,
  land,
  open,
  placeWith,
  readAt,
  root,
  stateDir,
  TARGET,
  writeAt,
} from "./worktree.fixture.ts";

const SAVED = "refs/lockstep/saved-checkout/1";
const NOTHING = { paths: [], total: 0, saved: null, unseen: null, mended: [] };
const LAST = { fresh: false };
const FRESH = { fresh: true };

/** Puts a program named git before the real one that takes its time for `git status`. */
function slowStatus(): void {
  const bin = join(stateDir, "bin");
  mkdirSync(bin, { recursive: true });
  const { PATH } = process.env;
  const script = `#!/bin/sh\ncase "$*" in *" status "*) exec sleep 60;; esac\nPATH="${PATH}" exec git "$@"\n`;
  writeFileSync(join(bin, "git"), script);
  chmodSync(join(bin, "git"), 0o755);
  process.env["PATH"] = `${bin}:${PATH}`;
  onTestFinished(() => {
    process.env["PATH"] = PATH;
  });
}

const putBack = (now: string, left: string, ref: string): string =>
  `the branch lockstep/p was moved to ${now.slice(0, 12)}, which no check has passed: it is at ${left.slice(0, 12)} again, and that commit is kept at ${ref}: \`git cherry-pick ${ref}\` on the base or in a task`;

describe("a look at the user's checkout", () => {
  test("tells what is new since the last one, by whichever process, and once", async () => {
    writeAt(root, "a.txt", "changed before\n");
    expect(await placeWith().foreign(LAST)).toEqual(NOTHING);
    writeAt(root, "new/x", "1");
    writeAt(root, "a.txt", "changed again\n");
    const place = placeWith();
    const looks = await Promise.all([place.foreign(LAST), place.foreign(LAST)]);
    expect(looks).toEqual([{ ...NOTHING, paths: ["a.txt", "new/"], total: 2, saved: SAVED }, NOTHING]);
    expect(gitAt(root, "status", "--porcelain")).toBe(" M a.txt\n?? new/");
  });

  test("keeps what is new as it is found: files of every kind and name, not those that git ignores, and no more than changed", async () => {
    writeAt(root, "mine before", "1");
    const place = placeWith();
    await place.foreign(LAST);
    writeAt(root, "new dir/*x\n", "1");
    writeAt(root, "new dir/ignored", "1");
    symlinkSync("nowhere", join(root, "link"));
    rmSync(join(root, "a.txt"));
    chmodSync(join(root, ".gitignore"), 0o755);
    git("add", ".gitignore");
    const index = readFileSync(join(root, ".git", "index"));
    expect(await place.foreign(LAST)).toMatchObject({ total: 4, saved: SAVED });
    const kept = git("diff", "--raw", "-z", "--abbrev=1", "main", SAVED).split("\0");
    expect(kept.filter((_, at) => at % 2 === 1)).toEqual([".gitignore", "a.txt", "link", "new dir/*x\n"]);
    expect(git("rev-parse", `${SAVED}^`)).toBe(git("rev-parse", "main"));
    expect(readFileSync(join(root, ".git", "index"))).toEqual(index);
    writeAt(root, "later", "1");
    expect(await place.foreign(LAST)).toMatchObject({ paths: ["later"], saved: SAVED.replace("1", "2") });
    expect(git("diff", "--name-only", "main", SAVED.replace("1", "2"))).toBe("later");
  });

  test("keeps nothing of what is too much, and tells it all the same", async () => {
    const place = placeWith();
    await place.foreign(LAST);
    writeAt(root, "large/file", "");
    truncateSync(join(root, "large/file"), 65 * 1024 ** 2);
    expect(await place.foreign(LAST)).toMatchObject({ paths: ["large/"], saved: null });
  });

  test("takes what is there as it is while nobody is at work", async () => {
    const place = placeWith();
    await place.foreign(LAST);
    writeAt(root, "mine", "1");
    expect(await place.foreign(FRESH)).toEqual(NOTHING);
    expect(await place.foreign(LAST)).toEqual(NOTHING);
  });

  test("does not take a person's commit for a change of files, and tells that the branch moved", async () => {
    const place = placeWith();
    writeAt(root, "a.txt", "changed\n");
    await place.foreign(LAST);
    const from = git("rev-parse", "--short=12", "main");
    const to = commitAll(root, "a person's").slice(0, 12);
    const moved = `refs/heads/main was moved from ${from} to ${to}: \`git update-ref refs/heads/main ${from}\` undoes it`;
    expect(await place.foreign(LAST)).toEqual({ ...NOTHING, mended: [moved] });
  });

  test("that takes over five seconds is given up, said once, and done again in the next run", async () => {
    slowStatus();
    const place = placeWith();
    const text = `git status was not done after 5 s in ${root}`;
    expect(await place.foreign(LAST)).toEqual({ ...NOTHING, unseen: text });
    expect(await place.foreign(LAST)).toEqual(NOTHING);
    process.env["PATH"] = process.env["PATH"]!.split(":").slice(1).join(":");
    await place.foreign(FRESH);
    writeAt(root, "new", "1");
    expect(await place.foreign(LAST)).toEqual({ ...NOTHING, paths: ["new"], total: 1, saved: SAVED });
  });

  test("names 50 of many files, and gives up where there are more than 10,000", async () => {
    const place = placeWith();
    await place.foreign(LAST);
    for (let i = 0; i < 60; i += 1) writeFileSync(join(root, `n${i}`), "");
    const some = await place.foreign(LAST);
    expect([some.paths.length, some.total]).toEqual([50, 60]);
    for (let i = 60; i <= 10_000; i += 1) writeFileSync(join(root, `n${i}`), "");
    const text = `more than 10000 files are changed in ${root}`;
    expect(await place.foreign(LAST)).toEqual({ ...NOTHING, unseen: text });
  });
});

describe("what a person does to the repository", () => {
  test("while nobody is at work stays: hooks, settings, refs", async () => {
    const place = placeWith();
    const { commit } = await land(place, a1, (dir) => writeAt(dir, "x", "1"));
    await place.pin(a1, commit!);
    writeAt(root, ".git/hooks/pre-push", "mine");
    git("config", "core.hooksPath", "mine");
    git("update-ref", "-d", "refs/lockstep/attempts/p/a/1");
    await place.foreign(FRESH);
    await open(place, b1);
    expect(await place.foreign(LAST)).toEqual(NOTHING);
    expect(readAt(root, ".git/hooks/pre-push")).toBe("mine");
    expect(git("config", "core.hooksPath")).toBe("mine");
    expect(git("for-each-ref", "refs/lockstep")).toBe("");
  });

  test.each(["targets.json", null])(
    "to the target is put back when a run begins, and told later (lost: %s)",
    async (lost) => {
      const place = placeWith();
      const { commit } = await land(place, a1, (dir) => writeAt(dir, "x", "1"));
      await place.pin(a1, commit!);
      const theirs = git("commit-tree", "-p", TARGET, "-m", "a person's", "main^{tree}");
      git("update-ref", TARGET, theirs);
      if (lost !== null) rmSync(join(stateDir, "repository", lost));
      expect(await place.foreign(FRESH)).toEqual(NOTHING);
      expect(git("rev-parse", TARGET)).toBe(commit);
      const ref = "refs/lockstep/saved/p/moved-target/1";
      expect(git("rev-parse", ref)).toBe(theirs);
      expect((await place.foreign(LAST)).mended).toEqual([putBack(theirs, commit!, ref)]);
    },
  );

  test("to the target between two attempts is put back before the next is opened", async () => {
    const place = placeWith();
    const { commit } = await land(place, a1, (dir) => writeAt(dir, "x", "1"));
    git("update-ref", TARGET, git("commit-tree", "-p", TARGET, "-m", "evil", "main^{tree}"));
    expect((await open(place, b1)).base).toBe(commit);
  });

  test("deleting a target that another branch has is a person's right once nobody is at work, else it comes back", async () => {
    const place = placeWith();
    const { commit } = await land(place, a1, (dir) => writeAt(dir, "x", "1"));
    git("update-ref", "-d", TARGET);
    await place.foreign(FRESH);
    expect(git("rev-parse", TARGET)).toBe(commit);
    git("branch", "kept", TARGET);
    git("update-ref", "-d", TARGET);
    expect(await place.foreign(FRESH)).toEqual(NOTHING);
    expect((await open(place, b1)).base).toBe(git("rev-parse", "main"));
  });

  test("a target that a person has checked out stays until they leave it: nothing lands there meanwhile", async () => {
    const place = placeWith();
    const { commit } = await land(place, a1, (dir) => writeAt(dir, "x", "1"));
    git("switch", "-q", "lockstep/p");
    git("commit", "-q", "--allow-empty", "-m", "a person's");
    expect(await place.open(b1, { resume: false })).toMatchObject({ code: "target_checked_out" });
    expect(git("log", "-1", "--format=%s", TARGET)).toBe("a person's");
    git("switch", "-q", "main");
    expect((await open(place, b1)).base).toBe(commit);
  });

  test("while attempts are at work stays where it only adds, but for the target, which is lockstep's own", async () => {
    const place = placeWith();
    const { dir, base } = await open(place, a1);
    writeAt(dir, "x", "1");
    const theirs = git("commit-tree", "-p", TARGET, "-m", "a person's", `${TARGET}^{tree}`);
    git("update-ref", TARGET, theirs);
    git("remote", "add", "origin", "nowhere");
    const mended = [putBack(theirs, base!, "refs/lockstep/saved/p/a/1")];
    expect(await place.foreign(LAST)).toEqual({ ...NOTHING, mended });
    expect((await candidate(place, a1)).tip).toBe(base);
    expect(git("remote")).toBe("origin");
  });

  test("moving or deleting a branch of the user's is told once and not undone", async () => {
    const place = placeWith();
    git("branch", "other");
    await place.foreign(FRESH);
    await open(place, a1);
    const from = git("rev-parse", "main");
    const to = git("commit-tree", "-p", "main", "-m", "more", "main^{tree}");
    git("update-ref", "refs/heads/main", to);
    git("update-ref", "-d", "refs/heads/other");
    const [was, is] = [from.slice(0, 12), to.slice(0, 12)];
    expect((await place.foreign(LAST)).mended).toEqual([
      `refs/heads/main was moved from ${was} to ${is}: \`git update-ref refs/heads/main ${was}\` undoes it`,
      `refs/heads/other was deleted: \`git update-ref refs/heads/other ${was}\` makes it again`,
    ]);
    expect(await place.foreign(LAST)).toEqual(NOTHING);
    expect(git("rev-parse", "main")).toBe(to);
  });

  test("packing all refs is no loss", async () => {
    const place = placeWith();
    const { commit } = await land(place, a1, (dir) => writeAt(dir, "x", "1"));
    await place.pin(a1, commit!);
    const { dir } = await open(place, b1);
    gitAt(dir, "pack-refs", "--all");
    expect(await place.foreign(LAST)).toEqual(NOTHING);
    expect(git("rev-parse", TARGET)).toBe(commit);
  });
});

test("a directory of hooks that became a link is put aside as that link, and the user's hooks come back", async () => {
  writeAt(root, ".git/hooks/pre-commit", "mine");
  const place = placeWith();
  const { dir } = await open(place, a1);
  gitAt(dir, "config", "alias.x", "!true");
  const evil = join(stateDir, "evil");
  writeAt(evil, "pre-commit", "evil");
  rmSync(join(root, ".git", "hooks"), { recursive: true });
  symlinkSync(evil, join(root, ".git", "hooks"));
  const { mended } = await place.foreign(LAST);
  const aside = join(stateDir, "worktrees", "planted-hooks");
  expect(mended).toEqual([
    'the setting alias.x was set to "!true": it is taken out again',
    `hooks was added: it is taken away again, and what it was is in ${aside}`,
    "hooks/pre-commit was removed: it is there again",
  ]);
  expect(readAt(root, ".git/hooks/pre-commit")).toBe("mine");
  expect(lstatSync(aside).isSymbolicLink()).toBe(true);
  expect(readAt(evil, "pre-commit")).toBe("evil");
});
