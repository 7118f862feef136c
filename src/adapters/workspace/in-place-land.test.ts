import { execFileSync, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Candidate, WorkspaceTask } from "../../ports/workspace.ts";
import { checkoutAt } from "./checkout.ts";
import {
  a1,
  a2,
  b1,
  candidate,
  git,
  land,
  locks,
  MAIN,
  open,
  parent,
  place,
  repositories,
  root,
  setPlace,
  write,
} from "./in-place.fixture.ts";
import { moveTarget } from "./in-place-land.ts";
import { inPlaceRepository } from "./in-place-repository.ts";

describe("green work", () => {
  test("lands as one commit on the branch, and the checkout is clean after it", async () => {
    const opened = await open(a1);
    const [base, tree] = git("rev-parse", "main", "main^{tree}").split("\n") as [string, string];
    expect(opened).toEqual({ dir: root, target: MAIN, base, tree });
    write("a.txt", "two\n");
    write("new file", "x");
    write("ignored", "x");
    const made = await candidate(a1, base);
    expect(made).toEqual({
      dir: root,
      target: MAIN,
      tip: base,
      commit: expect.stringMatching(/^[0-9a-f]{40}$/),
      tree: git("rev-parse", `${made.commit}^{tree}`),
      changed: [
        { path: "a.txt", status: "modified" },
        { path: "new file", status: "added" },
      ],
    });
    expect(git("rev-parse", "main")).toBe(base);
    expect(git("diff", "--cached", "--name-only")).toBe("");
    expect(await place.holds(MAIN, made.commit!)).toBe(false);

    expect(await place.land(a1, made)).toEqual({ landed: true });
    expect(git("rev-parse", "HEAD", "HEAD^")).toBe(`${made.commit}\n${base}`);
    expect(git("symbolic-ref", "HEAD")).toBe(MAIN);
    expect(git("status", "--porcelain")).toBe("");
    expect(git("show", "-s", "--format=%s")).toBe("Work of a");
    expect(await place.holds(MAIN, made.commit!)).toBe(true);
    expect(readdirSync(join(root, ".git", "lockstep"))).toEqual([]);

    expect(await place.land(a1, made)).toEqual({ landed: true });
    expect(git("rev-parse", "HEAD")).toBe(made.commit);
  });

  test("that changed nothing makes no commit", async () => {
    const tip = git("rev-parse", "main");
    const made = await land(a1, () => {});
    expect(made).toMatchObject({ tip, commit: tip, changed: [] });
    expect(git("rev-parse", "main")).toBe(tip);
  });

  test("keeps links, executable bits, deletions and every name", async () => {
    const odd = [
      Buffer.from("line\nbreak"),
      Buffer.from([0x66, 0xff, 0xfe]),
      Buffer.from("-dash"),
      Buffer.from("tab\t\"quote'"),
    ];
    const made = await land(a1, () => {
      rmSync(join(root, "a.txt"));
      symlinkSync("nowhere", join(root, "link"));
      write("run.sh", "#!/bin/sh\n");
      chmodSync(join(root, "run.sh"), 0o755);
      for (const name of odd) write(name, "x");
    });
    expect(made.changed).toContainEqual({ path: "a.txt", status: "deleted" });
    expect(made.changed).toContainEqual({ path: "line\nbreak", status: "added" });
    expect(made.changed).toContainEqual({ path: "f\ufffd\ufffd", status: "added" });
    const listed = execFileSync("git", ["ls-tree", "-r", "-z", "HEAD"], { cwd: root, encoding: "latin1" });
    expect(listed).toMatch(/120000 blob [0-9a-f]+\tlink\0/);
    expect(listed).toMatch(/100755 blob [0-9a-f]+\trun.sh\0/);
    for (const name of odd) expect(listed).toContain(`\t${name.toString("latin1")}\0`);
    expect(git("status", "--porcelain")).toBe("");
    await land(a2, () => {
      rmSync(join(root, "run.sh"));
      symlinkSync("a", join(root, "run.sh"));
    });
    expect(git("diff", "--raw", "HEAD^", "HEAD")).toMatch(/^:100755 120000 .* T\trun.sh$/);
  });

  test("is signed by lockstep where nobody is configured, and by the user where somebody is", async () => {
    const before = { ...process.env };
    for (const name of Object.keys(process.env)) if (/^(GIT_|EMAIL$)/.test(name)) delete process.env[name];
    Object.assign(process.env, { HOME: parent, XDG_CONFIG_HOME: parent, GIT_CONFIG_NOSYSTEM: "1" });
    try {
      await land(a1, () => write("b", "1"));
      expect(git("show", "-s", "--format=%an <%ae> %cn <%ce>")).toBe(
        "lockstep <lockstep@localhost> lockstep <lockstep@localhost>",
      );
      git("config", "user.name", "Someone");
      git("config", "user.email", "someone@localhost");
      await land(b1, () => write("b", "2"));
      expect(git("show", "-s", "--format=%an <%ae> %cn <%ce>")).toBe(
        "Someone <someone@localhost> Someone <someone@localhost>",
      );
    } finally {
      for (const name of Object.keys(process.env)) delete process.env[name];
      Object.assign(process.env, before);
    }
  });

  test("runs no hook of the user's and obeys no variable that points elsewhere", async () => {
    for (const hook of ["reference-transaction", "pre-commit", "post-index-change"]) {
      write(`.git/hooks/${hook}`, "#!/bin/sh\ntouch hook-ran\nexit 1\n");
      chmodSync(join(root, ".git/hooks", hook), 0o755);
    }
    process.env["GIT_DIR"] = "/nowhere";
    process.env["GIT_INDEX_FILE"] = "/nowhere";
    try {
      await land(a1, () => write("b", "1"));
    } finally {
      delete process.env["GIT_DIR"];
      delete process.env["GIT_INDEX_FILE"];
    }
    expect(existsSync(join(root, "hook-ran"))).toBe(false);
  });

  test("of a project below the top of its repository takes in the whole repository", async () => {
    mkdirSync(join(root, "sub"));
    setPlace(inPlaceRepository(join(root, "sub"), { locks }));
    const { dir, base } = await open(a1);
    expect(dir).toBe(join(root, "sub"));
    write("sub/x", "1");
    write("y", "1");
    expect((await candidate(a1, base)).changed.map((file) => file.path)).toEqual(["sub/x", "y"]);
  });

  test("is taken from the files, whatever the agent left in the index", async () => {
    const { base } = await open(a1);
    write("a.txt", "staged\n");
    write("new", "x");
    git("add", "-A");
    write("a.txt", "worked\n");
    git("rm", "-q", "--cached", "new");
    const made = await candidate(a1, base);
    expect(git("show", `${made.commit}:a.txt`)).toBe("worked");
    expect(git("show", `${made.commit}:new`)).toBe("x");
    expect(await place.land(a1, made)).toEqual({ landed: true });
    expect(git("status", "--porcelain")).toBe("");
  });

  test("is taken from the files even when the index is unreadable", async () => {
    const { base } = await open(a1);
    write("a.txt", "worked\n");
    write(".git/index", "junk");
    const made = await candidate(a1, base);
    expect(git("show", `${made.commit}:a.txt`)).toBe("worked");
  });

  test("a same-sized change in the same instant as the index is seen", async () => {
    for (let round = 0; round < 6; round += 1) {
      write("a.txt", `${String(round).padStart(3, "0")}\n`);
      git("add", "-A");
      git("commit", "-q", "-m", "round", "--allow-empty");
      const { base } = await open(a1);
      write("a.txt", `${String(round).padStart(3, "x")}\n`);
      expect((await candidate(a1, base)).changed).toHaveLength(1);
      git("checkout", "-q", "--force", "HEAD");
    }
  });
});

describe("a target that moved while the checks ran", () => {
  test("from this checkout: nothing lands, and the next candidate stands on the new tip", async () => {
    const { base } = await open(a1);
    write("b", "1");
    const made = await candidate(a1, base);
    write("person", "1");
    git("add", "person");
    git("commit", "-q", "-m", "a person's");
    const moved = git("rev-parse", "main");
    expect(await place.land(a1, made)).toEqual({
      landed: false,
      reason: "target_moved",
      text: "refs/heads/main moved while the checks ran: they count for the old tip only",
    });
    expect(git("rev-parse", "main")).toBe(moved);
    const again = await candidate(a1, base);
    expect(again).toMatchObject({ tip: moved, changed: [{ path: "b", status: "added" }] });
    expect(await place.land(a1, again)).toEqual({ landed: true });
    expect(git("status", "--porcelain")).toBe("");
    expect(git("show", "HEAD:person")).toBe("1");
  });

  test("from elsewhere: a candidate that would take the change back is refused", async () => {
    const { base } = await open(a1);
    write("b", "1");
    const made = await candidate(a1, base);
    const other = join(parent, `clone ${repositories}`);
    git("clone", "-q", root, other);
    writeFileSync(join(other, "pushed"), "1");
    git("-C", other, "add", "-A");
    git("-C", other, "commit", "-q", "-m", "pushed");
    git("config", "receive.denyCurrentBranch", "ignore");
    git("-C", other, "push", "-q", "origin", "main");
    expect(await place.land(a1, made)).toMatchObject({ landed: false, reason: "target_moved" });
    expect(await place.candidate({ ...a1, base, message: "m" })).toEqual({
      code: "target_moved",
      text: 'refs/heads/main was moved from elsewhere, and the checkout lacks its change of "pushed": bring the checkout up to date (`git stash -u`, then `git stash pop`)',
    });
  });
});

test("a landing that was cut off between the branch and the index is completed by the next open, or by landing again", async () => {
  const finishes: [WorkspaceTask, (made: Candidate) => Promise<unknown>][] = [
    [a1, () => place.open(b1, { resume: false })],
    [a2, (made) => place.land(a2, made)],
  ];
  for (const [task, finish] of finishes) {
    const { base } = await open(task);
    write("b", `by ${task.n}`);
    write("gone", "x");
    const made = await candidate(task, base);
    expect(await moveTarget(checkoutAt(root)!, task, made)).toEqual({ landed: true });
    expect(git("status", "--porcelain")).not.toBe("");
    expect(await place.holds(MAIN, made.commit!)).toBe(true);
    expect(await finish(made)).not.toMatchObject({ code: expect.anything() });
    expect(git("status", "--porcelain")).toBe("");
    expect(git("rev-parse", "main")).toBe(made.commit);
  }
});

test("a landing that meets the lock of somebody's git has landed, and the index follows later", async () => {
  const { base } = await open(a1);
  write("b", "1");
  const made = await candidate(a1, base);
  const theirs = spawn("git", ["cat-file", "--batch"], { cwd: root, stdio: ["pipe", "ignore", "ignore"] });
  onTestFinished(() => void theirs.kill("SIGKILL"));
  write(".git/index.lock", "");
  expect(await place.land(a1, made)).toEqual({ landed: true });
  expect(git("rev-parse", "main")).toBe(made.commit);
  expect(await place.open(b1, { resume: false })).toMatchObject({
    code: "git",
    text: expect.stringContaining("index.lock"),
  });
  rmSync(join(root, ".git/index.lock"));
  await open(b1);
  expect(git("status", "--porcelain")).toBe("");
});

test("a settled attempt's commit is pinned at a ref of its own", async () => {
  const made = await land(a1, () => write("b", "1"));
  expect(await place.pin(a1, made.commit!)).toBeNull();
  expect(git("rev-parse", "refs/lockstep/attempts/p/a/1")).toBe(made.commit);
  expect(await place.pin(a1, "0123456789012345678901234567890123456789")).toMatchObject({ code: "git" });
});

test("a commit that does not exist is held by nothing", async () => {
  expect(await place.holds(MAIN, "0123456789012345678901234567890123456789")).toBe(false);
  expect(await place.holds("refs/heads/none", git("rev-parse", "main"))).toBe(false);
});
