/** Sixty tasks in a random order of dependence, eight at once, over a real repository. */

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { attemptsOf, gitIn, type Lab, makeLab, orderOf, runLab, statesIn } from "../../fixtures/lab.ts";
import { leftProcesses } from "../../fixtures/lab-process.ts";
import { random } from "../../fixtures/random.ts";

const TASKS = 60;
const SEED = 20_261_129;
const BRANCH = "lockstep/lab";

interface Planned {
  id: string;
  depends_on: string[];
  verify: string;
}

/** Each task depends on up to three of those before it, and its check demands their files beside its own. */
function randomPlan(): Planned[] {
  // The same plan in every run, so that a red one can be run again.
  const next = random(SEED);
  return Array.from({ length: TASKS }, (_, index) => {
    const wanted = Math.min(index, Math.floor(next() * 4));
    const before = Array.from({ length: wanted }, () => `T-${Math.floor(next() * index)}`);
    const depends_on = [...new Set(before)];
    const id = `T-${index}`;
    return { id, depends_on, verify: [id, ...depends_on].map((name) => `test -e work/${name}.txt`).join(" && ") };
  });
}

/** Writes a file of its own, and fails where what it depends on is not there. */
const AGENT = [
  "mkdir -p work",
  'for file in $(printf "%s" "$LOCKSTEP_VERIFY" | grep -o "work/[^ ]*" | grep -v "/$LOCKSTEP_TASK_ID.txt"); do test -e "$file" || exit 9; done',
  'echo "by $LOCKSTEP_TASK_ID" > "work/$LOCKSTEP_TASK_ID.txt"',
].join("\n");

describe("a plan of sixty tasks, eight at once", () => {
  test("ends done, each patch landed once, on what it depends on, and nothing is left behind", async () => {
    const tasks = randomPlan();
    const lab = await makeLab({
      kind: "repository",
      agent: AGENT,
      tasks,
      config: { jobs: 8, workspace: { mode: "worktree" } },
    });
    const before = userState(lab);
    expect(await runLab(lab, { jobs: 8 })).toMatchObject({ outcome: "done" });
    expect(Object.values(await statesIn(lab))).toEqual(tasks.map(() => "verified"));
    for (const { id } of tasks) expect(await attemptsOf(lab, id)).toHaveLength(1);

    const landed = patches(lab);
    expect(landed.map(({ task }) => task).sort()).toEqual(tasks.map(({ id }) => id).sort());
    for (const { task, files } of landed) expect(files).toEqual([`work/${task}.txt`]);
    const verified = await orderOf(lab, "task.verified");
    const claimed = await orderOf(lab, "task.claimed");
    for (const { id, depends_on } of tasks)
      for (const dependency of depends_on) expect(verified.indexOf(dependency)).toBeLessThan(verified.indexOf(id));
    expect(new Set(claimed).size).toBe(TASKS);

    expect(userState(lab)).toEqual(before);
    expect(leftProcesses(lab)).toEqual([]);
    expect(leftFiles(lab)).toEqual([]);
    expect(await lab.context.store.verify()).toEqual([]);
  }, 180_000);
});

test("an agent with a limit of its own is at work that often at once, whatever the run has room for", async () => {
  const tasks = ["A", "B", "C", "D"].map((id) => ({ id, verify: "test -d ." }));
  const count =
    'mkdir "$ASIDE/at-$LOCKSTEP_SLUG"; ls -d "$ASIDE"/at-* | wc -l; sleep 0.7; rmdir "$ASIDE/at-$LOCKSTEP_SLUG"';
  const worker = { adapter: "command", command: ["bash", "-c", count], jobs: 2, pass_env: ["ASIDE"] };
  const lab = await makeLab({ kind: "none", tasks, config: { jobs: 8, agents: { worker } } });
  expect(await runLab(lab, { jobs: 8 })).toMatchObject({ outcome: "done" });
  const seen = await Promise.all(tasks.map(async ({ id }) => Number((await attemptsOf(lab, id))[0]!.summary)));
  expect(Math.max(...seen)).toBe(2);
});

/** The checkout, its branch, and every branch that is the user's. */
function userState({ root }: Lab): string[] {
  const branches = gitIn(root, "for-each-ref", "--format=%(refname) %(objectname)", "refs/heads", "refs/tags");
  return [
    gitIn(root, "symbolic-ref", "HEAD"),
    gitIn(root, "rev-parse", "HEAD"),
    gitIn(root, "status", "--porcelain", "--ignored"),
    ...branches.split("\n").filter((line) => !line.includes("refs/heads/lockstep")),
  ];
}

/** The files that each landing on the plan's branch brought. */
function patches({ root }: Lab): { task: string; files: string[] }[] {
  const format = "--format=%H %(trailers:key=Lockstep-Task,valueonly,separator=%x2C)";
  const lines = gitIn(root, "log", "--first-parent", format, BRANCH).split("\n");
  const landings = lines.map((line) => line.trim().split(" ")).filter((parts) => parts.length === 2);
  return landings.map(([commit, task]) => {
    const files = gitIn(root, "diff", "--name-only", `${commit}^1`, commit!).split("\n");
    return { task: task!, files };
  });
}

/** Locks and half-made files, in the repository and in lockstep's own state; work trees that git holds locked. */
function leftFiles({ root, aside }: Lab): string[] {
  const files = [join(root, ".git"), join(aside, "state")].flatMap((dir) =>
    readdirSync(dir, { recursive: true, encoding: "utf8" }).filter((name) =>
      /\.lock$|\.tmp$|\.half|tmp_obj|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$(?<=json\..*)/.test(
        name,
      ),
    ),
  );
  const locked = gitIn(root, "worktree", "list", "--porcelain")
    .split("\n")
    .filter((line) => line.startsWith("locked"));
  return [...files, ...locked];
}
