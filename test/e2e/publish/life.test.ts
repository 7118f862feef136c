/** A pull request from its beginning to its end: GitHub is a fake, git and all processes are real. */

import { describe, expect, test } from "vitest";
import { TOKEN } from "../../fixtures/fake-github.ts";
import { attemptsOf, checksOf, gitIn, readText, runLab, statesIn, taskRow } from "../../fixtures/lab.ts";
import { isOpen, publishLab } from "./publish-lab.ts";

const HEAD = "lockstep-work/lab/A";
/** Each attempt leaves its brief, and writes one line more. */
const AGENT = 'cat > "$ASIDE/brief.$LOCKSTEP_ATTEMPT" <<< "$LOCKSTEP_PROMPT"; echo line >> A.txt; env > "$ASIDE/env"';
const TASK = { id: "A", title: "Cart totals", labels: ["issue:12"], verify: "test -s A.txt" };

describe("a pull request", () => {
  test("is made when the checks are green, and the task is verified when what was merged is what was checked", async () => {
    const lab = await publishLab({ agent: AGENT, tasks: [TASK, { id: "B", depends_on: ["A"], verify: "test -s A.txt" }] });
    await lab.runUntil(isOpen);
    const { repository } = lab.github;
    expect(repository.pulls).toMatchObject([{ number: 1, head: HEAD, base: "main", draft: true, title: "Cart totals" }]);
    const [pull] = repository.pulls;
    expect(pull!.body).toContain("| verify | `test -s A.txt` | passed |");
    expect(pull!.body).toContain("**Issue:** #12");
    const row = await taskRow(lab, "A");
    expect(row).toMatchObject({ reason: "pull_request", publication: { number: 1, sha: repository.shaOf(HEAD) } });
    expect(await lab.context.store.openItems(lab.project.id, lab.plan.id, 10)).toMatchObject([
      { task: "A", kind: "pull_request", text: expect.stringContaining("pull request #1 waits to be merged into main: http") },
    ]);
    const merged = repository.merge(1);
    await lab.runUntil(isOpen, "B");
    repository.merge(2);
    expect(await runLab(lab)).toMatchObject({ outcome: "done" });
    expect(await statesIn(lab)).toEqual({ A: "verified", B: "verified" });
    expect(await taskRow(lab, "A")).toMatchObject({ landed_sha: merged, landed_target: "refs/heads/lockstep/lab" });
    // The merged tree is the checked one: nothing ran twice.
    expect((await checksOf(lab, "A")).length).toBe(1);
    expect((await attemptsOf(lab, "A")).length).toBe(1);
    expect(gitIn(lab.root, "merge-base", "--is-ancestor", merged, "lockstep/lab")).toBe("");
    expect(readText(lab.aside, "env")).not.toContain(TOKEN);
    expect(lab.github.errors).toEqual([]);
  });
});
