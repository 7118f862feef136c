import { expect, test } from "vitest";
import type { TaskRecord } from "../ports/store.ts";
import { revertedTasks, revertsLabel } from "./reverted.ts";

const record = (id: string, of: string | null, origin = "operator"): TaskRecord =>
  ({
    row: { id, origin },
    definition: { labels: of === null ? [] : ["x", revertsLabel(of)] },
  }) as unknown as TaskRecord;

test("a task is reverted while a task that undoes it is not undone itself", () => {
  const [a, first, again, second] = [
    record("a", null, "file"),
    record("revert-a", "a"),
    record("revert-revert-a", "revert-a"),
    record("revert-a-2", "a"),
  ] as const;
  expect([...revertedTasks([a, first])]).toEqual(["a"]);
  expect([...revertedTasks([a, first, again])]).toEqual(["revert-a"]);
  expect([...revertedTasks([a, first, again, second])]).toEqual(["a", "revert-a"]);
});

test("the label of a plan's file undoes nothing", () => {
  expect(revertedTasks([record("a", null, "file"), record("b", "a", "file")]).size).toBe(0);
});
