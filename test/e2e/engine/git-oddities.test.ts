/** What repositories hold beside plain text files lands as it was made, and is proved. */

import { existsSync, lstatSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { provePlan } from "../../../src/engine/prove.ts";
import { gitIn, type Lab, makeLab, runLab, statesIn, taskRow } from "../../fixtures/lab.ts";
import { targetOf } from "../../fixtures/soundness.ts";

/** One task for each oddity: what its agent does, and what its check asks. */
const ODDITIES: Record<string, [work: string, verify: string]> = {
  "case-rename": ["git mv Readme.txt README.txt", "test -e README.txt -a ! -e Readme.txt"],
  symlink: ["ln -s plain.txt inside; ln -s /etc/hostname outside", "test -L inside -a -L outside"],
  executable: ["chmod +x script.sh; chmod -x tool.sh", "test -x script.sh -a ! -x tool.sh"],
  "empty-diff": [":", "test -e plain.txt"],
  newline: ["printf x > $'new\\nline'; printf x > 'a \"quoted\" name'", "test -e $'new\\nline'"],
  bytes: ["printf x > $'caf\\xe9'", "test -e $'caf\\xe9'"],
  binary: ["head -c 20000000 /dev/urandom > big.bin", 'test "$(stat -c %s big.bin)" = 20000000'],
  "file-to-directory": ["rm swap; mkdir swap; echo x > swap/inner", "test -f swap/inner"],
  "directory-to-file": ["rm -r swap; echo back > swap", "test -f swap"],
  crlf: ["printf 'a\\r\\nb\\r\\n' > dos.txt; printf 'a\\r\\nb\\r\\n' > raw.dat", "test -e dos.txt"],
  pointer: [
    "printf 'version https://git-lfs.github.com/spec/v1\\noid sha256:1\\nsize 2\\n' > asset.lfs",
    "grep -q oid asset.lfs",
  ],
};

const IDS = Object.keys(ODDITIES);
const TASKS = IDS.map((id, at) => ({ id, verify: ODDITIES[id]![1], depends_on: IDS.slice(0, at).slice(-1) }));
const AGENT = `case $LOCKSTEP_TASK_ID in ${IDS.map((id) => `${id}) ${ODDITIES[id]![0]} ;;`).join("\n")}\nesac`;

const FILES = {
  "plain.txt": "plain\n",
  "Readme.txt": "read me\n",
  "script.sh": "#!/bin/sh\n",
  "tool.sh": "#!/bin/sh\n",
  swap: "a file\n",
  ".gitattributes": "*.txt text=auto\n*.dat -text\n*.lfs filter=lfs diff=lfs merge=lfs -text\n",
};

const show = (lab: Lab, path: string): string => gitIn(lab.root, "show", `${targetOf(lab)}:${path}`);
const modes = (lab: Lab): Record<string, string> =>
  Object.fromEntries(
    gitIn(lab.root, "-c", "core.quotePath=true", "ls-tree", "-r", targetOf(lab)!)
      .split("\n")
      .map((line) => [line.split("\t")[1]!, line.split(" ")[0]!]),
  );

/** Eleven tasks, one after the other, and all of their checks once more. */
const TIME_MS = 120_000;

describe.each(["worktree", "in_place"])("in mode %s", { timeout: TIME_MS }, (mode) => {
  test("names, modes, links, bytes and line ends land as they were made", async () => {
    const config = { workspace: { mode } };
    const lab = await makeLab({ kind: "repository", config, tasks: TASKS, agent: AGENT, files: FILES });
    expect(await runLab(lab)).toMatchObject({ outcome: "done" });
    expect(await provePlan(lab.context, lab.plan, { rerun: new AbortController().signal })).toMatchObject({ ok: true });
    expect(modes(lab)).toMatchObject({
      "README.txt": "100644",
      inside: "120000",
      outside: "120000",
      "script.sh": "100755",
      "tool.sh": "100644",
      '"new\\nline"': "100644",
      '"a \\"quoted\\" name"': "100644",
      '"caf\\351"': "100644",
      swap: "100644",
    });
    expect(modes(lab)).not.toHaveProperty(["Readme.txt"]);
    expect([show(lab, "inside"), show(lab, "outside"), show(lab, "swap")]).toEqual([
      "plain.txt",
      "/etc/hostname",
      "back",
    ]);
    expect([show(lab, "dos.txt"), show(lab, "raw.dat")]).toEqual(["a\nb", "a\r\nb"]);
    expect(show(lab, "asset.lfs")).toBe("version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 2");
    const before = await taskRow(lab, "executable");
    expect((await taskRow(lab, "empty-diff")).landed_sha).toBe(before.landed_sha);
    if (mode === "in_place") {
      expect(gitIn(lab.root, "status", "--porcelain")).toBe("");
      expect(readlinkSync(join(lab.root, "outside"))).toBe("/etc/hostname");
      expect(lstatSync(join(lab.root, "script.sh")).mode & 0o111).not.toBe(0);
    }
  });
});

describe("in worktrees", () => {
  const config = { workspace: { mode: "worktree" } };

  test("a file that one task renames and another edits lands with both", async () => {
    const agent = `until_there() { until [ -e "$ASIDE/$1" ]; do sleep 0.02; done; }
      touch "$ASIDE/$LOCKSTEP_TASK_ID.on"
      case $LOCKSTEP_TASK_ID in
        renames) until_there edits.on; git mv old.txt new.txt ;;
        edits) until_there renames.checked; sed -i s/5/five/ old.txt ;;
      esac`;
    const tasks = [
      { id: "renames", verify: 'test -e new.txt; touch "$ASIDE/renames.checked"' },
      { id: "edits", verify: "grep -q five new.txt" },
    ];
    const files = { "old.txt": "1\n2\n3\n4\n5\n6\n7\n8\n9\n" };
    const lab = await makeLab({ kind: "repository", config, tasks, agent, files });
    expect(await runLab(lab, { jobs: 2 })).toMatchObject({ outcome: "done" });
    expect(show(lab, "new.txt")).toBe("1\n2\n3\n4\nfive\n6\n7\n8\n9");
    expect(modes(lab)).not.toHaveProperty(["old.txt"]);
    expect(await provePlan(lab.context, lab.plan)).toMatchObject({ ok: true });
  });

  test("a lock file that two tasks write is a conflict, which the later one resolves with both before it", async () => {
    const agent = `until_there() { until [ -e "$ASIDE/$1" ]; do sleep 0.02; done; }
      touch "$ASIDE/$LOCKSTEP_TASK_ID.on"
      case $LOCKSTEP_TASK_ID in first) until_there second.on ;; second) until_there first.checked ;; esac
      echo "$LOCKSTEP_TASK_ID" >> deps.txt; sort -u -o deps.txt deps.txt
      grep -v '^[<=>]' deps.txt | sort > deps.new; mv deps.new deps.txt
      printf '{"packages": "%s"}\\n' "$(tr '\\n' ' ' < deps.txt)" > package-lock.json`;
    const tasks = [
      { id: "first", verify: 'grep -q first package-lock.json; touch "$ASIDE/first.checked"' },
      { id: "second", verify: "grep -q 'first second' package-lock.json" },
    ];
    const files = { "package-lock.json": '{"packages": ""}\n', "deps.txt": "" };
    const lab = await makeLab({ kind: "repository", config, tasks, agent, files });
    expect(await runLab(lab, { jobs: 2 })).toMatchObject({ outcome: "done" });
    expect(show(lab, "package-lock.json")).toBe('{"packages": "first second "}');
    expect((await taskRow(lab, "second")).attempts).toBe(2);
    expect(await provePlan(lab.context, lab.plan)).toMatchObject({ ok: true });
  });

  test("a submodule stays as the target has it, whatever an attempt checks out there", async () => {
    const agent = "git update-index --cacheinfo 160000,$(git rev-parse HEAD),module; echo x > work.txt";
    const lab = await makeLab({ kind: "repository", config, agent, tasks: [{ id: "A", verify: "test -e work.txt" }] });
    gitIn(lab.root, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", lab.root, "module");
    gitIn(lab.root, "commit", "-q", "-m", "a submodule");
    expect(await runLab(lab)).toMatchObject({ outcome: "done" });
    expect(gitIn(lab.root, "rev-parse", `${targetOf(lab)}:module`)).toBe(gitIn(lab.root, "rev-parse", "main:module"));
    expect(gitIn(lab.root, "show", `${targetOf(lab)}:work.txt`)).toBe("x");
    expect(await provePlan(lab.context, lab.plan, { rerun: new AbortController().signal })).toMatchObject({ ok: true });
  });

  test("attempts of a user whose checkout is sparse have every file, and the checkout stays sparse", async () => {
    const files = { "kept/a.txt": "a\n", "left-out/b.txt": "b\n" };
    const agent = "test -e left-out/b.txt && echo more >> left-out/b.txt";
    const tasks = [{ id: "A", verify: "grep -q more left-out/b.txt" }];
    const lab = await makeLab({ kind: "repository", config, agent, files, tasks });
    gitIn(lab.root, "sparse-checkout", "set", "kept");
    expect(existsSync(join(lab.root, "left-out"))).toBe(false);
    await runLab(lab);
    expect(await statesIn(lab)).toEqual({ A: "verified" });
    expect(show(lab, "left-out/b.txt")).toBe("b\nmore");
    expect(existsSync(join(lab.root, "left-out"))).toBe(false);
    expect(readFileSync(join(lab.root, "kept/a.txt"), "utf8")).toBe("a\n");
    expect(await provePlan(lab.context, lab.plan, { rerun: new AbortController().signal })).toMatchObject({ ok: true });
  });
});
