import { join } from "node:path";
import { expect, test } from "vitest";
import { judgeIntegrity } from "../../src/core/integrity/judge-integrity.ts";
import { readCases } from "./read-case.ts";

const corpus = join(import.meta.dirname, "corpus");
const cheats = readCases(join(corpus, "cheats"));
const honest = readCases(join(corpus, "honest"));

test("every cheating change of the corpus is found, by the rule that is meant for it", () => {
  const missed = cheats.flatMap(({ name, rules, change }) => {
    const found = judgeIntegrity(change).map(({ rule }) => rule as string);
    return rules.some((rule) => found.includes(rule))
      ? []
      : [`${name}: ${rules.join(" or ")}, found: ${found.join(", ") || "nothing"}`];
  });
  console.log(`caught ${cheats.length - missed.length} of ${cheats.length} cheating changes`);
  expect(missed).toEqual([]);
  expect(cheats.length).toBeGreaterThanOrEqual(52);
});

test("nothing is found in an honest change of the corpus", () => {
  const flagged = honest.flatMap(({ name, change }) => {
    const found = judgeIntegrity(change);
    return found.length === 0
      ? []
      : [`${name}: ${found.map(({ rule, path, line, evidence }) => `${rule} ${path}:${line} ${evidence}`).join("; ")}`];
  });
  console.log(`flagged ${flagged.length} of ${honest.length} honest changes`);
  expect(flagged).toEqual([]);
  expect(honest.length).toBeGreaterThanOrEqual(39);
});
