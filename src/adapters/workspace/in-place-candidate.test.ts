import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  a1,
  b1,
  candidate,
  commit,
  git,
  locks,
  MAIN,
  open,
  place,
  root,
  setPlace,
  setRoot,
  write,
} from "./in-place.fixture.ts";
import { inPlaceRepository } from "./in-place-repository.ts";

describe("what the agent does to refs is undone before anything is checked", () => {
  test("commits on the target are kept at a saved ref, and their content is the candidate's", async () => {
    const { base } = await open(a1);
    write("b", "1");
    const own = commit("the agent's own");
    write("c", "1");
    const made = await candidate(a1, base);
    expect(made).toMatchObject({ tip: base, changed: [{ path: "b" }, { path: "c" }] });
    expect(git("rev-parse", "main", "refs/lockstep/saved/p/a/1")).toBe(`${base}\n${own}`);
    expect(git("rev-parse", `${made.commit}^`)).toBe(base);
    expect(await place.land(a1, made)).toEqual({ landed: true });
    expect(git("status", "--porcelain")).toBe("");
  });

  test("an amended commit and a branch that is gone", async () => {
    const { base } = await open(a1);
    git("commit", "-q", "--amend", "-m", "rewritten");
    expect(await candidate(a1, base)).toMatchObject({ tip: base, commit: base });
    await open(b1);
    git("checkout", "-q", "--detach");
    git("branch", "-q", "-D", "main");
    write("b", "1");
    expect(await candidate(b1, base)).toMatchObject({
      target: MAIN,
      tip: base,
      changed: [{ path: "b", status: "added" }],
    });
    expect(git("symbolic-ref", "HEAD")).toBe(MAIN);
  });

  test("another branch, with commits of its own", async () => {
    const { base } = await open(a1);
    git("checkout", "-q", "-b", "mine");
    write("b", "1");
    const own = commit("on my branch");
    const made = await candidate(a1, base);
    expect(made).toMatchObject({ target: MAIN, tip: base, changed: [{ path: "b", status: "added" }] });
    expect(git("symbolic-ref", "HEAD")).toBe(MAIN);
    expect(git("rev-parse", "main", "mine", "refs/lockstep/saved/p/a/1")).toBe(`${base}\n${own}\n${own}`);
  });

  test("also when it removed what lockstep had noted", async () => {
    const { base } = await open(a1);
    rmSync(join(root, ".git/lockstep"), { recursive: true });
    write("b", "1");
    commit("the agent's own");
    expect(await candidate(a1, base)).toMatchObject({ tip: base, changed: [{ path: "b" }] });
    expect(git("rev-parse", "main")).toBe(base);
  });

  test("also when the attempt failed and nothing is to be checked", async () => {
    const { base } = await open(a1);
    write("b", "1");
    const own = commit("the agent's own");
    write("c", "1");
    expect(await place.save(a1)).toEqual({ saved: "refs/lockstep/saved/p/a/1-2" });
    expect(git("rev-parse", "main", "refs/lockstep/saved/p/a/1")).toBe(`${base}\n${own}`);
  });
});

describe("a candidate is refused", () => {
  test("when the agent removed the repository, also below another one", async () => {
    const outer = root;
    setRoot(join(root, "inner"));
    mkdirSync(root);
    git("init", "-q", "-b", "main");
    write("x", "");
    commit("inner");
    setPlace(inPlaceRepository(root, { locks }));
    const { base } = await open(a1);
    rmSync(join(root, ".git"), { recursive: true });
    expect(await place.candidate({ ...a1, base, message: "m" })).toMatchObject({ code: "missing" });
    setPlace(inPlaceRepository(root, { locks }));
    expect(await place.candidate({ ...a1, base, message: "m" })).toMatchObject({ code: "git" });
    setRoot(outer);
    expect(git("for-each-ref", "refs/lockstep")).toBe("");
  });

  test("when the agent broke it", async () => {
    const { base } = await open(a1);
    write(".git/HEAD", "junk");
    expect(await place.candidate({ ...a1, base, message: "m" })).toMatchObject({ code: "missing" });
    expect(await place.save(a1)).toMatchObject({ code: "missing" });
  });

  test("when the agent broke it below another one, which is never taken for it", async () => {
    const outer = root;
    const before = git("rev-parse", "HEAD");
    setRoot(join(root, "inner"));
    mkdirSync(root);
    git("init", "-q", "-b", "main");
    write("x", "");
    commit("inner");
    setPlace(inPlaceRepository(root, { locks }));
    const { base } = await open(a1);
    write(".git/HEAD", "junk");
    expect(await place.candidate({ ...a1, base, message: "m" })).toMatchObject({ code: "missing" });
    expect(await place.open(b1, { resume: false })).toMatchObject({ code: "missing" });
    setRoot(outer);
    expect(git("for-each-ref", "--format=%(refname) %(objectname)")).toBe(`${MAIN} ${before}`);
  });

  test("when the agent made a repository inside, with or without a commit", async () => {
    const { base } = await open(a1);
    mkdirSync(join(root, "sub dir"));
    git("init", "-q", "sub dir");
    write("sub dir/x", "1");
    const refusal = {
      code: "nested_repository",
      text: '"sub dir" is a repository of its own, whose files git would leave out: remove its .git, or ignore it',
    };
    expect(await place.candidate({ ...a1, base, message: "m" })).toEqual(refusal);
    git("-C", "sub dir", "add", "x");
    git("-C", "sub dir", "commit", "-q", "-m", "inner");
    expect(await place.candidate({ ...a1, base, message: "m" })).toEqual(refusal);
    await place.save(a1);
    expect(await place.open(b1, { resume: false })).toMatchObject({ code: "not_clean" });
    expect(readFileSync(join(root, "sub dir/x"), "utf8")).toBe("1");
  });
});

test("a submodule stays at the commit that the target has", async () => {
  git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", root, "module");
  commit("with a module");
  const { base } = await open(a1);
  git("-C", "module", "commit", "-q", "--allow-empty", "-m", "moved");
  write("b", "1");
  expect((await candidate(a1, base)).changed).toEqual([{ path: "b", status: "added" }]);
  git("-C", "module", "checkout", "-q", "HEAD^");
  write("module/untracked", "");
  await place.save(a1);
  expect(await place.open(b1, { resume: false })).toMatchObject({ target: MAIN });
});
