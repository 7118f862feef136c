import { expect, test } from "vitest";
import { leftovers } from "./machine.ts";

test("every level says what it proves of what agents leave running, and how to get a better one", () => {
  const found = (["namespace", "marks", "group"] as const).map((level) => leftovers(level));
  expect(found.map(({ problem }) => problem)).toEqual([null, null, null]);
  expect(found.map(({ found }) => found)).toEqual([
    "pid namespace: nothing that an agent starts outlives it",
    "marks: what an agent leaves is found by its environment and its directory, but not what hides from both; for a proof install `unshare` (util-linux) and let users make namespaces, or be root",
    "process group: what leaves an agent's group and loses its parent is not found; only Linux proves more",
  ]);
});
