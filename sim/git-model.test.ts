import { describe, expect, test } from "vitest";
import { GitModel, merge } from "./git-model.ts";

const files = (entries: Record<string, string>) => new Map(Object.entries(entries));

describe("the model of a repository", () => {
  test("gives the same content the same name", () => {
    const git = new GitModel();
    expect(git.tree(files({ a: "1", b: "2" }))).toBe(git.tree(files({ b: "2", a: "1" })));
    const tree = git.tree(files({ a: "1" }));
    expect(git.commit([], tree, "one")).toBe(git.commit([], tree, "one"));
    expect(git.commit([], tree, "two")).not.toBe(git.commit([], tree, "one"));
  });

  test("merges what only one side changed, deletions too, and names what both did", () => {
    const base = files({ a: "1", b: "1", c: "1" });
    const ours = files({ a: "2", b: "1", c: "1" });
    const theirs = files({ a: "3", c: "1", d: "4" });
    const merged = merge(base, ours, theirs);
    expect(merged.conflicts).toEqual(["a"]);
    expect([...merged.files].sort()).toEqual([
      ["a", "2"],
      ["c", "1"],
      ["d", "4"],
    ]);
  });

  test("knows who descends from whom", () => {
    const git = new GitModel();
    const tree = git.tree(files({}));
    const first = git.commit([], tree, "first");
    const second = git.commit([first], tree, "second");
    expect([git.isAncestor(first, second), git.isAncestor(second, first)]).toEqual([true, false]);
  });
});
