import { describe, expect, it } from "vitest";
import { planNameProblem, taskIdProblem } from "./names.ts";

describe("taskIdProblem", () => {
  it.each(["F-1", " ", " a ", "../..", "-x", "漢字", "👩‍👩‍👧", "a/b", "\u2028", "😀".repeat(300)])(
    "accepts %j",
    (id) => {
      expect(taskIdProblem(id)).toBeNull();
    },
  );

  it.each([
    ["", "an id has at least one character"],
    ["x".repeat(301), "an id has at most 300 characters, and this one 301"],
    ["a\nb", "an id has no control characters, and this one has U+000A"],
    ["\u007f", "an id has no control characters, and this one has U+007F"],
    ["\u0085", "an id has no control characters, and this one has U+0085"],
    ["a\ud83d", "an id is well-formed text, and this one has half a character, U+D83D"],
  ])("refuses %j", (id, problem) => {
    expect(taskIdProblem(id)).toBe(problem);
  });
});

describe("planNameProblem", () => {
  it("accepts slugs", () => {
    expect(["shop", "2024_Q1-x"].map(planNameProblem)).toEqual([null, null]);
  });

  it.each([
    ["my plan", "my-plan"],
    ["", "plan"],
    ["../x", "x"],
    ["x".repeat(49), "x".repeat(48)],
    ["shop\n", "shop"],
  ])("refuses %j and proposes %j", (name, proposal) => {
    expect(planNameProblem(name)).toBe(
      `a plan's name has 1 to 48 letters (a to z), digits, "_" or "-" and begins with a letter or digit; ${JSON.stringify(name)} does not: try ${JSON.stringify(proposal)}`,
    );
  });
});
