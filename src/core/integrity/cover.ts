import { isLiteral } from "./judge-expression.ts";
import { demandKeyOf, keyOf, type MatchedUnits } from "./match-units.ts";
import { share } from "./product-evidence.ts";
import type { Assertion } from "./read-assertions.ts";
import { linesOnlyIn, type Survey } from "./survey.ts";
import type { Unit } from "./test-units.ts";
import { literalsOf, tokensOf } from "./tokens.ts";

/** What the later side of the tests asserts anew, by which what is gone elsewhere may be there still. */
export interface Cover {
  /** Whether an assertion that is gone has its equal elsewhere; one equal in a test stands for one that is gone. */
  covers(assertion: Assertion): boolean;
  /** The share of a text's lines that stand anew in tests. */
  shareOfMovedLines(body: string): number;
  /** The functions of the tests that assert, by name; an empty list asserts nothing. */
  helpers: ReadonlyMap<string, readonly Assertion[]>;
}

/** Names of functions that assert, wherever they are declared. */
const ASSERTING = /^(?:assert|expect|verify|check|should|ensure|must|require|validate)[A-Z_]\w*$/;

export function coverOf({
  survey,
  matched,
  after,
}: {
  survey: Survey;
  matched: MatchedUnits;
  after: readonly Unit[];
}): Cover {
  const pool = new Map<string, number>();
  const helpers = new Map<string, Assertion[]>();
  const general: Assertion[] = [];
  const put = (unit: Unit, assertions: readonly Assertion[]): void => {
    for (const assertion of assertions) {
      const key = demandKeyOf(assertion);
      pool.set(key, unit.kind === "helper" ? Number.POSITIVE_INFINITY : (pool.get(key) ?? 0) + 1);
      if (!isLiteral(assertion.expected)) general.push(assertion);
    }
  };
  for (const unit of after) {
    if (unit.kind === "helper") helpers.set(unit.name, [...(helpers.get(unit.name) ?? []), ...unit.assertions]);
    if (matched.fresh.has(unit)) put(unit, unit.assertions);
  }
  for (const [from, to] of matched.became) put(to, assertionsOnlyIn(to.assertions, from.assertions));
  const added = addedLines(survey);
  const literals = new Set([...added].flatMap(tokensOf));
  return {
    helpers,
    covers(assertion) {
      const key = demandKeyOf(assertion);
      const left = pool.get(key) ?? 0;
      if (left > 0) pool.set(key, left - 1);
      return left > 0 || isInTable(assertion, general, literals);
    },
    shareOfMovedLines(body) {
      const parts = body
        .split(/[;{}]|(?<=\)) /)
        .map((part) => part.replace(/\W+/g, ""))
        .filter((part) => part.length > 5);
      const anew = new Set([...added].map((line) => line.replace(/\W+/g, "")));
      return parts.length === 0 ? 0 : share(parts, anew);
    },
  };
}

/** The assertions of `a` that `b` does not make. */
export function assertionsOnlyIn(a: readonly Assertion[], b: readonly Assertion[]): Assertion[] {
  const spare = new Map<string, number>();
  for (const assertion of b) spare.set(keyOf(assertion), (spare.get(keyOf(assertion)) ?? 0) + 1);
  return a.filter((assertion) => {
    const left = spare.get(keyOf(assertion)) ?? 0;
    if (left > 0) spare.set(keyOf(assertion), left - 1);
    return left === 0;
  });
}

/** The functions of the tests, or of elsewhere by their names, that a text calls and that assert. */
export function assertingCalls(body: string, { helpers }: Pick<Cover, "helpers">): string[] {
  const called = [...body.matchAll(/(\w+[?!]?)(?:\(| )/g)].map((match) => match[1]!);
  return called.filter((name) => {
    const own = helpers.get(name);
    return own === undefined ? ASSERTING.test(name) : own.some(({ strength }) => strength > 0);
  });
}

/** Whether a table of the new tests holds the values, and an assertion over its columns demands as much. */
function isInTable(assertion: Assertion, general: readonly Assertion[], literals: ReadonlySet<string>): boolean {
  const told = literalsOf(`${assertion.subject} ${assertion.expected}`);
  const words = told.length > 0 ? told : tokensOf(assertion.expected);
  if (words.length === 0 || !words.every((token) => literals.has(token))) return false;
  return general.some(
    ({ strength, relation, negated }) =>
      strength >= assertion.strength &&
      (relation === assertion.relation || strength === 3) &&
      negated === assertion.negated,
  );
}

function addedLines(survey: Survey): Set<string> {
  const lines = new Set<string>();
  for (const { before, after } of survey.pairs) {
    if (after?.role !== "test") continue;
    for (const { code } of linesOnlyIn(after, before)) lines.add(code.trim());
  }
  return lines;
}
