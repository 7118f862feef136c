/** What a task changes is held against the paths of its scope before any check runs. */

import { describe, expect, test } from "vitest";
import { checksOf, eventsIn, gitIn, makeLab, runLab, taskRow } from "../../fixtures/lab.ts";

const WORKTREE = { workspace: { mode: "worktree" } };
const SCOPES = { web: { paths: ["web/**"], deny: ["web/secret/**"] }, open: { deny: ["sub", "*.lock"] } };
const FILES = { "web/a.txt": "a\n", "web/secret/key": "k\n", "other.txt": "o\n", "tool.sh": "true\n" };

describe("a change that a task's scope does not allow", () => {
  test.each([
    ["in a worktree", WORKTREE],
    ["in place", {}],
  ])(
    "%s goes back with evidence, and no check runs on it: renamed files, modes and deleted files too",
    async (_, config) => {
      const tasks = [{ id: "A", verify: "test -e web/b.txt", scope: "web", retry_delay: "500ms" }];
      // The second try is told what to put back.
      const agent = [
        "touch web/b.txt",
        'case "$(cat)" in',
        '*"it denies web/secret/**: web/secret/key; it allows only web/**: other.txt, tool.sh; put them back"*)',
        "mkdir -p web/secret; git show main:web/secret/key > web/secret/key; mv web/o.txt other.txt; chmod -x tool.sh;;",
        "*) rm web/secret/key; mv other.txt web/o.txt; chmod +x tool.sh;;",
        "esac",
      ].join("\n");
      const files = FILES;
      const lab = await makeLab({ kind: "repository", config, agent, files, tasks, scopes: SCOPES });
      expect(await runLab(lab)).toMatchObject({ outcome: "done" });
      const story = (await eventsIn(lab)).filter(({ type }) => /^(check|task\.[rv])/.test(type));
      expect(story.map(({ type, attempt, data }) => [type, attempt, "cause" in data ? data.cause : null])).toEqual([
        ["task.requeued", 1, "scope_broken"],
        ["check.recorded", 2, null],
        ["task.verified", 2, "landed"],
      ]);
    },
  );

  test("may be the commit of a submodule", async () => {
    const tasks = [{ id: "A", verify: "test -e x", scope: "open", tries: 1 }];
    const agent =
      "touch x; git update-index --cacheinfo 160000,$(git rev-parse HEAD),sub; git -c user.name=a -c user.email=a@localhost commit -qam x";
    const files = { ...FILES, ".gitmodules": '[submodule "sub"]\n\tpath = sub\n\turl = ../sub\n' };
    const lab = await makeLab({ kind: "repository", config: WORKTREE, agent, files, tasks, scopes: SCOPES });
    gitIn(lab.root, "update-index", "--add", "--cacheinfo", `160000,${gitIn(lab.root, "rev-parse", "HEAD")},sub`);
    gitIn(lab.root, "commit", "-qm", "a submodule");
    expect(await runLab(lab)).toMatchObject({ outcome: "failed" });
    expect(await checksOf(lab, "A")).toEqual([]);
    expect((await taskRow(lab, "A")).last_error).toBe(
      "files were changed that the scope open does not allow: it denies sub, *.lock: sub; put them back as they were",
    );
  });

  test("is found in a plain directory, too", async () => {
    const tasks = [{ id: "A", verify: "test -e x", scope: "web", tries: 1 }];
    const lab = await makeLab({ kind: "directory", agent: "touch x", files: FILES, tasks, scopes: SCOPES });
    expect(await runLab(lab)).toMatchObject({ outcome: "failed" });
    expect((await taskRow(lab, "A")).last_error).toBe(
      "files were changed that the scope web does not allow: it allows only web/**: x; put them back as they were",
    );
  });
});
