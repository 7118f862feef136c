import { evened, findTests } from "./find-tests.ts";
import { isLiteral } from "./judge-expression.ts";
import { isProgram } from "./languages.ts";
import { type Assertion, readAssertions } from "./read-assertions.ts";
import type { Source } from "./survey.ts";

/** A test, or a function of the tests that asserts on their behalf, with its assertions. */
export interface Unit {
  kind: "test" | "helper";
  source: Source;
  name: string;
  line: number;
  body: string;
  from: number;
  to: number;
  assertions: Assertion[];
}

const HELPER =
  /(?:\b(?:function\*?|def|defp|func|fun|fn|sub|void|static \w+|macro_rules!|defmacro)[ \t]+(?:\([^()\n]{0,80}\)[ \t]*)?(?:self\.)?([A-Za-z_]\w*)|\b(?:const|let|var|val)[ \t]+(\w+)[^=\n;]{0,120}=[ \t]*(?:async[ \t]*)?(?:\(|function|\w+[ \t]*=>)|^(?:function[ \t]+)?(\w+)\(\)[ \t]*\{)/gm;

/** A source is asked for its units by several rules; they are worked out once. */
const known = new WeakMap<Source, Unit[]>();

/** The tests of a file, and its functions that assert. */
export function unitsOf(source: Source | null): readonly Unit[] {
  if (source === null) return [];
  const units = known.get(source) ?? readUnits(source);
  known.set(source, units);
  return units;
}

function readUnits(source: Source): Unit[] {
  if (source.role === "artefact" || source.role === "lock" || !isProgram(source.language)) {
    return source.collected ? testsOf(source) : [];
  }
  const isRelevant = source.collected || source.role === "test";
  if (!isRelevant) return [];
  const tests = testsOf(source);
  // A file of tests that runners pass over lends its assertions to no one.
  if (!source.collected && findTests({ ...source, collected: true }).length > 0) return [];
  const helpers = helpersOf(source);
  const innermost = [...tests].sort((a, b) => a.from - b.from);
  let at = 0;
  const open: Unit[] = [];
  const values = writtenValues(source);
  for (const read of readAssertions(source)) {
    const assertion = { ...read, expected: values(read.expected, read.at) };
    while (at < innermost.length && innermost[at]!.from <= assertion.at) open.push(innermost[at++]!);
    while (open.length > 0 && open.at(-1)!.to <= assertion.at) open.pop();
    const unit = open.at(-1) ?? lastBefore(helpers, assertion.at);
    unit?.assertions.push(assertion);
  }
  return [...tests, ...helpers];
}

function testsOf(source: Source): Unit[] {
  return findTests(source).map((test) => ({ kind: "test", ...test, assertions: [] }));
}

function helpersOf(source: Source): Unit[] {
  return [...source.bare.matchAll(HELPER)].slice(0, 5000).map((match) => ({
    kind: "helper",
    source,
    name: match[1] ?? match[2] ?? match[3]!,
    line: 0,
    body: "",
    from: match.index,
    to: source.bare.length,
    assertions: [],
  }));
}

/** The last one that begins before an offset; they are in the order of the text. */
function lastBefore(helpers: readonly Unit[], at: number): Unit | undefined {
  let low = 0;
  let high = helpers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (helpers[middle]!.from <= at) low = middle + 1;
    else high = middle;
  }
  return helpers[low - 1];
}

const ASSIGNED =
  /^[ \t]{0,60}(?:(?:const|let|var|val|final|auto|my|\w{1,30}(?:<\w{1,30}>)?)[ \t]+)?\$?(\w{1,60})(?:[ \t]*:[ \t]*[\w<>[\]]{1,40})?[ \t]*:?=[ \t]*(?=[\S])(?!=)/gm;

/** Longer values are told apart by their beginning. */
const VALUE_LENGTH_MAX = 1000;

/**
 * What a name stands for in an assertion: the value that was written down for it last before. Other texts stay as they
 * are.
 */
function writtenValues(source: Source): (text: string, at: number) => string {
  const assigned = new Map<string, { at: number; value: string }[]>();
  for (const match of [...source.bare.matchAll(ASSIGNED)].slice(0, 10_000)) {
    const from = match.index + match[0].length;
    const close = source.brackets.get(from);
    const end = source.bare.indexOf("\n", from);
    const to = close === undefined ? (end < 0 ? source.bare.length : end) : close + 1;
    const value = evened(source.code.slice(from, Math.min(to, from + VALUE_LENGTH_MAX))).replace(/;$/, "");
    const name = match[1]!;
    if (!assigned.has(name)) assigned.set(name, []);
    assigned.get(name)!.push({ at: match.index, value: isLiteral(value) ? value : "" });
  }
  return (text, at) => {
    const known = assigned.get(text.replace(/^\$/, ""));
    if (known === undefined) return text;
    let value = "";
    for (const one of known.slice(0, 1000)) if (one.at < at) value = one.value;
    return value === "" ? text : value;
  };
}
