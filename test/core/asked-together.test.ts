import { expect, test } from "vitest";
import { askedTogether, tasksText } from "../../src/core/task/asked-together.ts";
import { ITEM } from "../fixtures/loaded.ts";

test("items that share what they ask are one question of their plan, and any other stands alone", () => {
  const items = [
    { ...ITEM, id: "i1", task: "A", shared: "npm test" },
    { ...ITEM, id: "i2", task: "B" },
    { ...ITEM, id: "i3", task: "C", shared: "npm test" },
    { ...ITEM, id: "i4", task: null },
    { ...ITEM, id: "i1", task: "D", shared: "npm test", plan: "other" },
  ];
  expect(askedTogether(items).map(({ item, tasks }) => [item.plan, item.id, tasks])).toEqual([
    ["plan", "i1", ["A", "C"]],
    ["plan", "i2", ["B"]],
    ["plan", "i4", []],
    ["other", "i1", ["D"]],
  ]);
});

test("some of many tasks are named", () => {
  expect(tasksText([])).toBeNull();
  expect(tasksText(["A", "B"])).toBe("A, B");
  expect(tasksText(["A", "B", "C", "D", "E", "F", "G"])).toBe("A, B, C, D, E and 2 more");
});
