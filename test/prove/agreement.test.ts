/** Two proofs that share no code say the same of every case, and what each case is. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { gitIn, type Lab } from "../fixtures/lab.ts";
import { changeStore } from "../fixtures/lab-store.ts";
import { type ProofLab, proofLab, TARGET, TASKS } from "./proof-lab.ts";

type Harm = (lab: Lab) => void | Promise<void>;

const sql =
  (statement: string): Harm =>
  (lab) =>
    changeStore(lab, statement);

const landedOf = ({ root }: Lab, task: string): string =>
  gitIn(root, "rev-parse", `refs/lockstep/attempts/lab/${task}/1`);

const force =
  (to: (lab: Lab) => string): Harm =>
  (lab) =>
    void gitIn(lab.root, "update-ref", TARGET, to(lab));

/** A commit with these parents and the files of another commit. */
const commit = ({ root }: Lab, files: string, ...parents: string[]): string =>
  gitIn(root, "commit-tree", `${files}^{tree}`, ...parents.flatMap((each) => ["-p", each]), "-m", "made by a fault");

/** The landing of B with other files, everywhere: as an engine would have it that built a wrong candidate. */
const wrongCandidate =
  (files: (lab: Lab) => string): Harm =>
  async (lab) => {
    const [b, ours, theirs] = gitIn(lab.root, "rev-list", "--parents", "-n1", landedOf(lab, "B")).split(" ");
    const wrong = commit(lab, files(lab), ours!, theirs!);
    const tree = gitIn(lab.root, "rev-parse", `${wrong}^{tree}`);
    gitIn(lab.root, "update-ref", TARGET, wrong);
    gitIn(lab.root, "update-ref", "refs/lockstep/attempts/lab/B/1", wrong);
    await changeStore(
      lab,
      `UPDATE checks SET tree = '${tree}' WHERE task = 'B';
       UPDATE tasks SET landed_sha = '${wrong}', landed_tree = '${tree}' WHERE landed_sha = '${b}'`,
    );
  };

/** By what was done: the tasks that are wrong, and whether the plan as a whole is. */
const CASES: Record<string, [harm: Harm, wrong: string[], plan?: "wrong"]> = {
  nothing: [() => {}, []],
  "the target was forced back by one landing": [force((lab) => landedOf(lab, "B")), ["C", "U"]],
  "the target was forced back to its base": [force(() => "main"), ["A", "B", "C", "U"]],
  "the target was forced to a commit beside it": [
    force((lab) => commit(lab, "main", "main")),
    ["A", "B", "C", "U"],
    "wrong",
  ],
  "a commit was put on the target": [force((lab) => commit(lab, TARGET, TARGET)), [], "wrong"],
  "a commit was dropped in a merge": [
    force((lab) => commit(lab, landedOf(lab, "A"), landedOf(lab, "A"), TARGET)),
    [],
    "wrong",
  ],
  "the merge of a landing was edited": [
    force((lab) => commit(lab, "main", `${landedOf(lab, "B")}^1`, `${landedOf(lab, "B")}^2`)),
    ["B", "C", "U"],
    "wrong",
  ],
  "a landing lost what landed before it": [wrongCandidate((lab) => `${landedOf(lab, "B")}^2`), ["B", "C", "U"]],
  "a landing has nothing of its own work": [wrongCandidate((lab) => `${landedOf(lab, "B")}^1`), ["B", "C", "U"]],
  "the target was deleted": [({ root }) => void gitIn(root, "update-ref", "-d", TARGET), ["A", "B", "C", "U"]],
  "the plan was taken into its base, and its branch deleted": [
    ({ root }) => {
      gitIn(root, "update-ref", "refs/heads/main", TARGET);
      gitIn(root, "update-ref", "-d", TARGET);
    },
    [],
  ],
  "the target was squashed, and the squash stands on another commit": [
    force((lab) => commit(lab, TARGET, commit(lab, "main", "main"))),
    ["A", "B", "C", "U"],
    "wrong",
  ],
  "an attempt's ref is gone": [
    ({ root }) => void gitIn(root, "update-ref", "-d", "refs/lockstep/attempts/lab/A/1"),
    ["A"],
  ],
  "an attempt's ref was moved": [
    ({ root }) => void gitIn(root, "update-ref", "refs/lockstep/attempts/lab/A/1", "main"),
    ["A"],
  ],
  "a check is not recorded": [sql("DELETE FROM checks WHERE task = 'B' AND command = 'test -e B.txt'"), ["B"]],
  "a check was red": [sql("UPDATE checks SET outcome = 'red', exit_code = 1 WHERE task = 'C'"), ["C"]],
  "a check ran on another tree": [sql("UPDATE checks SET tree = 'f00' WHERE task = 'C'"), ["C"]],
  "a check is another attempt's": [sql("UPDATE checks SET attempt = 2 WHERE task = 'C'"), ["C"]],
  "a guard is not recorded": [sql("DELETE FROM checks WHERE task = 'A' AND kind = 'guard'"), ["A"]],
  "the output of a check is gone": [sql("UPDATE checks SET log = 'checks/00/none.log' WHERE task = 'C'"), ["C"]],
  "the output of a check was changed": [sql("UPDATE checks SET tail = 'other' WHERE task = 'C'"), ["C"]],
  "a task's row is gone": [sql("DELETE FROM tasks WHERE id = 'C'"), ["C"], "wrong"],
  "a task's row says that it is pending": [sql("UPDATE tasks SET state = 'pending' WHERE id = 'C'"), ["C"], "wrong"],
  "an attempt's row is gone": [sql("DELETE FROM attempts WHERE task = 'B'"), ["B"]],
  "a row names another commit": [
    sql("UPDATE tasks SET landed_sha = (SELECT landed_sha FROM tasks WHERE id = 'C') WHERE id = 'B'"),
    ["B"],
    "wrong",
  ],
  "a row names no commit": [sql("UPDATE tasks SET landed_sha = NULL WHERE id = 'C'"), ["C"], "wrong"],
  "a row names another tree": [sql("UPDATE tasks SET landed_tree = 'f00' WHERE id = 'C'"), ["C"]],
  "a row names another branch": [sql("UPDATE tasks SET landed_target = 'refs/heads/main' WHERE id = 'C'"), ["C"]],
  "a person vouched for a task": [sql("UPDATE tasks SET unverified = 1, landed_tree = 'f00' WHERE id = 'U'"), []],
  "work that did not land is at no ref": [
    sql(`INSERT INTO tasks (plan, id, slug, natural_key, title, origin, revision, state, phase, round, tries, attempts,
           conflicts, lost, rate_limited, handoffs, questions, unmet, dead, priority, wave, path, satisfied, unverified,
           retired, unlanded, dirty, approved, mode, owns, target, version, cascades)
         SELECT plan, 'W', 'W', 'W', title, origin, revision, 'blocked', 0, 1, 0, 1,
           0, 0, 0, 0, 0, 0, 0, 3, 1, 0, 0, 0, 0, 1, 0, 0, mode, 0, target, 0, 0 FROM tasks WHERE id = 'A'`),
    [],
    "wrong",
  ],
};

const undos: (() => void | Promise<void>)[] = [];
const atEnd = (undo: () => void | Promise<void>) => void undos.unshift(undo);
afterAll(async () => {
  for (const undo of undos) await undo();
});

describe.each([
  ["worktrees", { workspace: { mode: "worktree" } }],
  ["clones", { workspace: { mode: "clone" } }],
  ["worktrees, each landing squashed", { workspace: { mode: "worktree" }, land: { mode: "squash" } }],
])("both proofs say the same of a plan in %s", (_, config) => {
  let proved: ProofLab;
  beforeAll(async () => {
    proved = await proofLab({ config, atEnd });
  }, 60_000);
  // What is about rows and outputs is the same in both.
  const isSquash = "land" in config;
  const isAsked = (name: string): boolean => !isSquash || /^nothing|^the target|put on the target/.test(name);

  test.for(Object.keys(CASES).filter(isAsked))("when %s", async (name) => {
    const [harm, wrong, plan] = CASES[name]!;
    const { ok, tasks } = await proved.proofAfter(harm);
    expect(Object.keys(tasks).filter((id) => !tasks[id])).toEqual(wrong);
    expect(ok).toBe(wrong.length === 0 && plan !== "wrong");
  });

  test("when the checks are run anew, which are green again", async () => {
    expect(await proved.proofAfter(() => {}, { rerun: true })).toMatchObject({ ok: true });
  });

  test("when a check is green no more: only when it is run anew", async () => {
    const harm = sql(`UPDATE definitions SET body = replace(body, 'test -e A.txt -a', 'test -e none -a');
      UPDATE checks SET command = replace(command, 'test -e A.txt -a', 'test -e none -a')`);
    expect(await proved.proofAfter(harm)).toMatchObject({ ok: true });
    expect(await proved.proofAfter(harm, { rerun: true })).toMatchObject({ ok: false, tasks: { B: true, C: false } });
  });
});

const IN_PLACE = TASKS.map(({ id, verify }) => ({
  id,
  verify: id === "A" ? "test -e A.txt" : verify,
  unchecked: true,
}));

describe("both proofs say the same of a plan in the user's own checkout", () => {
  let proved: ProofLab;
  beforeAll(async () => {
    proved = await proofLab({ tasks: IN_PLACE, agent: 'echo x > "$LOCKSTEP_TASK_ID.txt"', atEnd }, 1);
  }, 60_000);
  const onMain =
    (to: (lab: Lab) => string): Harm =>
    (lab) =>
      void gitIn(lab.root, "update-ref", "refs/heads/main", to(lab));

  test.for<[string, Harm, boolean]>([
    ["nothing was done", () => {}, true],
    ["a person committed there", onMain((lab) => commit(lab, "main", "main")), true],
    ["a person merged there", onMain((lab) => commit(lab, "main", commit(lab, "main~1", "main~1"), "main")), true],
    ["a commit was dropped in a merge", onMain((lab) => commit(lab, "main~1", "main~1", "main")), false],
    ["the branch was forced back", onMain(() => "main~1"), false],
    ["the branch was squashed", onMain((lab) => commit(lab, "main", "main~4")), false],
  ])("when %s", async ([, harm, ok]) => {
    expect((await proved.proofAfter(harm)).ok).toBe(ok);
  });
});

describe("both proofs say the same of a plan in a plain directory", () => {
  test("where nothing is landed, and the checks and their outputs are the proof", async () => {
    const kind = "directory";
    const proved = await proofLab({ kind, tasks: IN_PLACE, agent: 'echo x > "$LOCKSTEP_TASK_ID.txt"' }, 1);
    expect(await proved.proofAfter(() => {})).toMatchObject({ ok: true, tasks: { A: true, U: true } });
    expect(await proved.proofAfter(() => {}, { rerun: true })).toMatchObject({ ok: true });
    const red = sql("UPDATE checks SET outcome = 'red' WHERE task = 'C'");
    expect(await proved.proofAfter(red)).toMatchObject({ ok: false, tasks: { A: true, C: false } });
    const other = sql("UPDATE tasks SET landed_tree = 'f00' WHERE id = 'A'");
    expect(await proved.proofAfter(other)).toMatchObject({ ok: false, tasks: { A: false, C: true } });
  });
});
