/** Projects, their stores, `init` and `doctor`. */

import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Refusal } from "./lab.ts";
import { Lab } from "./lab.ts";

const PLAN = { plan: "p", tasks: [{ id: "a", title: "A", verify: "test -f x" }] };

test("init writes a configuration and a plan that load as they are, and refuses to overwrite", async () => {
  const lab = new Lab({ config: "" });
  expect(await lab.json(["init"])).toEqual({ written: ["lockstep.yaml", "plan.yaml"], plan: "plan.yaml" });
  expect(await lab.json(["plan", "load", "plan.yaml"])).toMatchObject({ plan: "example", inserted: 2 });
  const before = readFileSync(join(lab.dir, "lockstep.yaml"), "utf8");
  expect((await lab.json<Refusal>(["init"], 1)).error.code).toBe("project_exists");
  expect(readFileSync(join(lab.dir, "lockstep.yaml"), "utf8")).toBe(before);
});

test("init leaves a plan file alone that is there already", async () => {
  const lab = new Lab({ config: "" });
  lab.write("DAG.json", "{}");
  expect(await lab.json(["init"])).toEqual({ written: ["lockstep.yaml"], plan: "DAG.json" });
});

test("a project is found from any directory below it, and through a link", async () => {
  const lab = new Lab();
  await lab.load(PLAN);
  mkdirSync(join(lab.dir, "deep/er"), { recursive: true });
  symlinkSync(lab.dir, join(lab.base, "link"));
  for (const cwd of [join(lab.dir, "deep/er"), join(lab.base, "link")]) {
    const { code, stdout } = await lab.run(["status", "--json"], { cwd });
    expect([code, JSON.parse(stdout).plan]).toEqual([0, "p"]);
  }
  expect((await lab.run(["-C", "deep", "status", "--json"])).code).toBe(0);
});

test("a copied project is refused by name; a moved one is followed", async () => {
  const lab = new Lab();
  await lab.load(PLAN);
  const copy = join(lab.base, "copy");
  cpSync(lab.dir, copy, { recursive: true });
  const refused = await lab.run(["status"], { cwd: copy });
  expect(refused.code).toBe(2);
  expect(refused.stderr).toBe(
    `error: this project has the id of the project in ${lab.dir}: it is a copy\nhint: Give the copy an id of its own: rm '${copy}/.lockstep/id'\n`,
  );
  writeFileSync(join(lab.dir, ".lockstep/id"), "");
  cpSync(join(copy, ".lockstep/id"), join(lab.base, "kept"));
  expect((await lab.run(["claim"], { cwd: copy })).code).toBe(0);
});

test("linked work trees of a repository are one project; a second one inside it is refused", async () => {
  const lab = new Lab({ git: true });
  await lab.load(PLAN, "../plan.json");
  lab.git("worktree", "add", "--quiet", "../linked");
  expect((await lab.run(["status"], { cwd: join(lab.base, "linked") })).code).toBe(0);
  lab.write("inner/lockstep.yaml", "agents: {}\n");
  const inner = await lab.run(["status"], { cwd: join(lab.dir, "inner") });
  expect([inner.code, inner.stderr.split("\n")[0]]).toEqual([
    2,
    `error: this repository is the project of ${lab.dir} already, and one repository is one project`,
  ]);
});

test("a repository that cannot be worked in is a clear error at load", async () => {
  const bare = new Lab();
  bare.git("init", "--quiet", "--bare", ".");
  bare.write("plan.json", JSON.stringify(PLAN));
  const refused = await bare.json<Refusal>(["plan", "load", "plan.json"], 2);
  expect(refused.error.problems).toMatchObject([{ file: null, path: "", message: expect.stringContaining("bare") }]);
  const empty = new Lab();
  empty.git("init", "--quiet");
  empty.write("plan.json", JSON.stringify(PLAN));
  expect((await empty.run(["plan", "load", "plan.json"])).stderr).toContain("the repository has no commit yet");
});

test("a configuration that is no file, a directory that is gone: one clear error each", async () => {
  const lab = new Lab({ config: "" });
  mkdirSync(join(lab.dir, "lockstep.yaml"));
  expect((await lab.json<Refusal>(["plan", "load", "x.yaml"], 2)).error.code).toBe("config");
  expect((await lab.json<Refusal>(["-C", "nowhere", "status"], 2)).error.message).toBe(
    `there is no directory ${lab.dir}/nowhere`,
  );
});

test("the store is where --store or the configuration says", async () => {
  const lab = new Lab({ config: "store: own.db # here\n" });
  await lab.load(PLAN);
  expect((await lab.json<Refusal>(["status", "--store", "other.db"], 2)).error.code).toBe("no_plan");
  lab.write("plan.json", JSON.stringify(PLAN));
  await lab.json(["plan", "load", "plan.json", "--store", "other.db"]);
  expect(await lab.json(["status", "--store", "other.db"])).toMatchObject({ plan: "p" });
  lab.write("foreign.db", "not a database, but long enough to be looked at");
  const { error } = await lab.json<Refusal>(["status", "--store", "foreign.db"], 1);
  expect(error.code).toBe("store_not_a_store");
});

test("doctor finds nothing wrong with a sound project, and checks its store when asked", async () => {
  const lab = new Lab({ git: true });
  await lab.load(PLAN, "../plan.json");
  const { problems, fine } = await lab.json<{ problems: unknown[]; fine: { what: string }[] }>(["doctor", "--store"]);
  expect(problems).toEqual([]);
  expect(fine.map(({ what }) => what)).toContain("store, counters");
  const level = fine.find(({ what }) => what === "what agents leave running");
  expect(level).toMatchObject({ found: expect.stringMatching(/^(pid namespace|marks|process group): /) });
});

test("doctor says what is taken of the disk, and that nothing starts where too little is left", async () => {
  const lab = new Lab({ git: true, config: "limits: {disk_floor: 900000TB}\n" });
  await lab.load(PLAN, "../plan.json");
  const { problems, fine } = await lab.json<{ problems: unknown[]; fine: { what: string }[] }>(["doctor"], 1);
  expect(problems).toEqual([
    {
      code: "disk",
      message: expect.stringMatching(
        /^nothing starts: \S+ [KMGT]B at \/.+ is free, and at least 900000\.0 TB is asked for$/,
      ),
      fix: "`lockstep gc` frees what has landed, or is old; `limits: {disk_floor: SIZE}` in lockstep.yaml asks for less.",
    },
  ]);
  const [task] = PLAN.tasks;
  expect(await lab.json(["why", task!.id])).toMatchObject({
    reason: {
      code: "disk",
      text: expect.stringMatching(/^free disk space: \d+ MB at \/.+, and at least \d+ MB is asked for$/),
    },
  });
  expect((await lab.json<Refusal>(["claim", task!.id], 1)).error.code).toBe("disk");
  expect(fine).toContainEqual({ what: "disk, taken", found: "0 bytes; `lockstep gc` says of what" });
});

test("doctor names each problem with its fix", async () => {
  const lab = new Lab({ config: "jobz: 3\n" });
  const broken = await lab.json<{ problems: { code: string; fix: string }[] }>(["doctor"], 1);
  expect(broken.problems).toMatchObject([
    {
      code: "config",
      message: `${lab.dir}/lockstep.yaml:1:1: jobz: unknown key "jobz": the nearest known one is "jobs"`,
    },
  ]);
  const none = new Lab({ config: "" });
  const without = await none.json<{ problems: { code: string }[] }>(["doctor"], 1);
  expect(without.problems).toMatchObject([
    { code: "no_project", fix: "`lockstep init` makes this directory a project." },
  ]);
});

test("an agent cannot steer: in its environment every command but help is refused", async () => {
  const lab = new Lab();
  await lab.load(PLAN);
  const env = { LOCKSTEP_ATTEMPT: "p/a#1" };
  for (const args of [["status"], ["claim"], ["task", "cancel", "a"]]) {
    const { code, stdout } = await lab.run([...args, "--json"], { env });
    expect([code, JSON.parse(stdout).error.code]).toEqual([1, "inside_attempt"]);
  }
  expect((await lab.run(["--help"], { env })).code).toBe(0);
  expect((await lab.run(["--version"], { env })).stdout).toMatch(/^\d+\.\d+\.\d+/);
});

test("completion offers commands, options, tasks and plans", async () => {
  const lab = new Lab();
  await lab.load(PLAN);
  const offered = async (...words: string[]) =>
    (await lab.run(["complete", "--", ...words])).stdout.split("\n").map((line) => line.split("\t")[0]);
  expect(await offered("sta")).toContain("status");
  expect(await offered("plan", "l")).toContain("load");
  expect(await offered("claim", "--t")).toContain("--ttl");
  expect(await offered("task", "show", "")).toContain("a");
  expect(await offered("use", "")).toContain("p");
  expect((await lab.run(["completion", "bash"])).stdout).toContain("lockstep");
  expect((await lab.run(["completion", "tcsh"])).code).toBe(2);
});

test("a project whose id was removed is the same one; a directory made anew in its place is not", async () => {
  const lab = new Lab({ git: true });
  await lab.load(PLAN);
  rmSync(join(lab.dir, ".git/lockstep"), { recursive: true });
  expect(await lab.json(["status"])).toMatchObject({ plan: "p" });
  await lab.load(PLAN);
  expect(await lab.json(["status"])).toMatchObject({ plan: "p", revision: 1 });
  rmSync(join(lab.dir, ".git"), { recursive: true });
  lab.git("init", "--quiet");
  lab.commit("anew");
  expect((await lab.json<Refusal>(["status"], 2)).error.code).toBe("no_plan");
});
