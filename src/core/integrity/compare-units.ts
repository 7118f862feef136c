import { assertingCalls, assertionsOnlyIn, type Cover } from "./cover.ts";
import { type Finding, findingOf, type Rule } from "./integrity-change.ts";
import { type ProductEvidence, showsChange, wentWithProduct } from "./product-evidence.ts";
import type { Assertion } from "./read-assertions.ts";
import type { Unit } from "./test-units.ts";
import { isNumber, literalsOf, tokensOnlyIn } from "./tokens.ts";

interface Knowledge {
  cover: Cover;
  evidence: ProductEvidence;
}

/** What a test, or a function that asserts, demands less than before. */
export function compareUnits({ from, to }: { from: Unit; to: Unit }, knowledge: Knowledge): Finding[] {
  const gone = assertionsOnlyIn(from.assertions, to.assertions);
  const anew = assertionsOnlyIn(to.assertions, from.assertions);
  const findings: Finding[] = [];
  const report = (rule: Rule, at: Assertion, text: string): void => {
    findings.push(findingOf({ rule, path: to.source.path, line: at.line, evidence: text }));
  };
  for (const added of anew.filter((added) => isHollow(added, knowledge.cover))) {
    report("assertion_disarmed", added, added.text);
    take(anew, added);
  }
  // What demands the same under another name comes first, so that it is not paired with something else.
  const left = gone.filter((removed) => !takeEqual(anew, removed));
  const calls = newCalls(from, to, knowledge.cover);
  for (const removed of left.slice(0, 200)) {
    const found = judgeRemoved(removed, { anew, from, knowledge, calls });
    if (found !== null)
      report(found.rule, found.at ?? { ...removed, line: to.line || to.assertions[0]?.line || 1 }, found.evidence);
  }
  return findings;
}

interface Judged {
  rule: Rule;
  /** The assertion that came in its place; null: none did. */
  at: Assertion | null;
  evidence: string;
}

function judgeRemoved(
  removed: Assertion,
  { anew, from, knowledge, calls }: { anew: Assertion[]; from: Unit; knowledge: Knowledge; calls: readonly string[] },
): Judged | null {
  if (removed.strength === 0) return null;
  const { cover, evidence } = knowledge;
  const same = anew.find((added) => sameSubject(added, removed));
  if (same !== undefined) {
    take(anew, same);
    return judgeReplaced(removed, same, evidence);
  }
  if (cover.covers(removed)) return null;
  if (calls.length > 0 || wentWithProduct(evidence, "", `${removed.subject} ${removed.expected}`)) return null;
  const next = anew[0];
  if (next === undefined) return { rule: "assertion_removed", at: null, evidence: removed.text };
  take(anew, next);
  if (next.strength < removed.strength) {
    return { rule: "assertion_weakened", at: next, evidence: `${removed.text} -> ${next.text}` };
  }
  // Of a test that was written anew beside a changed product, as much is demanded as before, though of other values.
  if (evidence.added.size > 0 && next.strength >= removed.strength) return null;
  const shown = showsChange(evidence, `${removed.subject} ${removed.expected}`, `${next.subject} ${next.expected}`);
  if (shown || from.kind === "helper") return null;
  return { rule: "expectation_changed", at: next, evidence: `${removed.text} -> ${next.text}` };
}

/** What became of an assertion about the same value. */
function judgeReplaced(removed: Assertion, added: Assertion, evidence: ProductEvidence): Judged | null {
  const text = `${removed.text} -> ${added.text}`;
  if (added.strength < removed.strength) return { rule: "assertion_weakened", at: added, evidence: text };
  if (isWider(removed, added)) return { rule: "tolerance_widened", at: added, evidence: text };
  if (added.strength > removed.strength && removed.strength < 3 && added.negated === removed.negated) return null;
  if (removed.relation !== added.relation && removed.strength === added.strength && added.strength < 3) {
    return removed.strength === 1 ? null : judgeValue(removed, added, evidence);
  }
  return judgeValue(removed, added, evidence);
}

function judgeValue(removed: Assertion, added: Assertion, evidence: ProductEvidence): Judged | null {
  const isTurned = removed.negated !== added.negated;
  // Whoever expects more than before, and all of it, did not fit the test to the result.
  const isMore = tokensOnlyIn(removed.expected, added.expected).length === 0 && removed.expected !== "" && !isTurned;
  const isTighter = ["compare", "near"].includes(removed.relation) && removed.relation === added.relation;
  if (isMore || isTighter || (removed.expected === added.expected && !isTurned)) return null;
  if (!isTurned && (isReworded(removed, added, evidence) || showsChange(evidence, removed.expected, added.expected)))
    return null;
  return { rule: "expectation_changed", at: added, evidence: `${removed.text} -> ${added.text}` };
}

/** The same values are written down as before, and only names around them are others, as they are in the product. */
function isReworded(removed: Assertion, added: Assertion, evidence: ProductEvidence): boolean {
  const [from, to] = [literalsOf(removed.expected), literalsOf(added.expected)];
  return evidence.added.size + evidence.removed.size > 0 && from.length > 0 && from.join(" ") === to.join(" ");
}

/** Whether the bound of a comparison, or the tolerance of a near match, lets more through. */
function isWider(removed: Assertion, added: Assertion): boolean {
  if (removed.relation !== added.relation) return false;
  const last = (text: string): number =>
    Number(
      text
        .match(/\d+(?:[._]\d+)*(?:e-?\d+)?/gi)
        ?.at(-1)
        ?.replaceAll("_", "") ?? Number.NaN,
    );
  const from = last(removed.expected);
  const to = last(added.expected);
  if (Number.isNaN(from) || Number.isNaN(to)) return false;
  if (removed.relation === "compare") {
    if (removed.expected[0] !== added.expected[0]) return false;
    return removed.expected.startsWith("<") ? to > from : to < from;
  }
  if (removed.relation !== "near") return false;
  // Digits of precision are the other way round: fewer are wider.
  const isDigits =
    /CloseTo|AlmostEqual|places/i.test(added.text) &&
    Number.isInteger(to) &&
    Number.isInteger(from) &&
    !/delta|within/i.test(added.text);
  return isDigits ? to < from : to > from;
}

/** A call of a function of the tests that asserts nothing though its name says so, or a demand that all results satisfy. */
function isHollow(added: Assertion, { helpers }: Cover): boolean {
  if (added.relation === "none") return true;
  if (added.relation !== "other") return false;
  const name = /(\w+)[!]?\(/.exec(added.text)?.[1] ?? "";
  const own = helpers.get(name);
  return own?.every(({ strength }) => strength === 0) === true;
}

/** Takes an assertion with the same demand from the list. */
function takeEqual(anew: Assertion[], removed: Assertion): boolean {
  const equals = anew.filter(
    (added) =>
      added.negated === removed.negated &&
      added.strength >= removed.strength &&
      added.expected === removed.expected &&
      (removed.expected !== "" || sameSubject(added, removed) || related(added.subject, removed.subject)),
  );
  const found =
    equals.find((added) => added.relation === removed.relation && sameSubject(added, removed)) ??
    equals.find((added) => added.relation === removed.relation) ??
    equals[0];
  if (found === undefined) return false;
  take(anew, found);
  return true;
}

function sameSubject(a: Assertion, b: Assertion): boolean {
  return plain(a.subject) === plain(b.subject) && plain(a.subject) !== "";
}

function related(a: string, b: string): boolean {
  const differing = tokensOnlyIn(a, b).filter((token) => !isNumber(token)).length;
  return differing <= 1 && tokensOnlyIn(b, a).filter(isNumber).length === 0;
}

function plain(subject: string): string {
  return subject.replace(/\b(?:await|self|this|\$this|std::)\b|[&*$"()]/g, "").replace(/^\W+|\W+$/g, "");
}

function newCalls(from: Unit, to: Unit, cover: Cover): string[] {
  const earlier = new Set(assertingCalls(from.body, cover));
  const own = new Set(to.assertions.map(({ text }) => /^\W*(?:\w+[.:>-]+)*(\w+)/.exec(text)?.[1] ?? ""));
  return assertingCalls(to.body, cover).filter(
    (name) => !earlier.has(name) && (!own.has(name) || cover.helpers.has(name)),
  );
}

function take(list: Assertion[], item: Assertion): void {
  list.splice(list.indexOf(item), 1);
}
