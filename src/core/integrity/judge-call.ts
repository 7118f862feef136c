import { splitArguments } from "./brackets.ts";
import { evened } from "./find-tests.ts";
import { type Demand, demandOf, isLiteral, judgeExpression } from "./judge-expression.ts";
import { type Relation, relationOf } from "./judge-matcher.ts";
import type { Chain, Segment } from "./read-chain.ts";
import type { Source } from "./survey.ts";

/** A demand, and where the statement ends that makes it. */
export interface Read {
  demand: Demand;
  to: number;
}

/** Longer arguments are compared by their beginning. */
const ARGUMENT_LENGTH_MAX = 1000;

/** Links that say nothing by themselves. */
const CONNECTIVE =
  /^(?:to|be|been|is|that|which|and|has|have|with|at|of|same|but|does|still|also|a|an|not|never|Not|deep|own|nested|any|all|ordered|resolves|rejects|eventually|toBe|As|And|Be|Should|soft|poll|strict|because|as|describedAs|withMessage|to_not|not_to|it|its|isNotNull)$/;

/** First arguments that are no value under test. */
const CONTEXT = /^(?:t|tb|b|s\.T\(\)|suite\.T\(\)|GinkgoT\(\)|ctx)$/;

/** What a chain of calls demands; null: it is no assertion. */
export function judgeCall(
  source: Source,
  { at, head, chain }: { at: number; head: string; chain: Chain },
): Read | null {
  const name = head.replace(/^.*(?:\.|->|::|#)/, "");
  if (/^(?:soft|poll)$/.test(name) || /expect$/.test(head)) {
    const first = chain.segments[0]!;
    // `expect.assertions(2)`, `expect.extend(…)` and asymmetric matchers assert nothing here.
    if (first.from === null) return null;
  }
  const demand = demandOfChain(source, { at, head, name, chain });
  return demand === null ? null : { demand, to: chain.to };
}

function demandOfChain(
  source: Source,
  { at, head, name, chain }: { at: number; head: string; name: string; chain: Chain },
): Demand | null {
  const first = chain.segments[0]!;
  const values = argumentsOf(source, first);
  const rest = chain.segments.slice(1);
  const isReceiver = /^(?:\.|->)/.test(head);
  if (isReceiver && /^(?:should|Should)$/.test(name) && rest.length === 0 && values.length > 0) {
    return fromWords(receiverAt(source, at), values[0]!.replace(/"/g, ""), values.slice(1).join(","));
  }
  if (isReceiver && name === "Should") return fromLinks(source, receiverAt(source, at), rest);
  if (isReceiver) return fromWords(receiverAt(source, at), name === "expect" ? "equal" : name, values.join(","));
  if (/^(?:expect|expectTypeOf|is_expected|assertThat|soft|poll|That|should|expectAll|verify|_)$/.test(name)) {
    return fromSubject(source, { name, values, rest });
  }
  return fromName(name, head, values);
}

/** `expect(x).toBe(y)`, `assertThat(x).isEqualTo(y)`, `assertThat(x, is(y))`, `verify(mock).call(y)`. */
function fromSubject(
  source: Source,
  { name, values, rest }: { name: string; values: string[]; rest: Segment[] },
): Demand | null {
  const [subject, matcher] = values;
  if (name === "verify") {
    const called = rest.at(-1);
    if (called === undefined) return null;
    const never = /never\(\)|times\(0\)/.test(matcher ?? "");
    return {
      relation: "called_with",
      negated: never,
      subject: `${subject}.${called.name}`,
      expected: argumentsOf(source, called).join(","),
    };
  }
  const links = rest.filter(
    ({ name: link }, index) => !CONNECTIVE.test(link) || (index === rest.length - 1 && rest[index]!.from !== null),
  );
  if (links.length === 0 && !rest.some(({ name: link }) => /^(?:toBe|isNotNull)$/.test(link))) {
    if (matcher !== undefined && source.language !== "javascript") return fromMatcher(subject ?? "", matcher);
    const isExpression = source.language !== "javascript" || name === "assertThat";
    if (isExpression && subject !== undefined && source.language !== "ruby") return judgeExpression(subject);
    return { relation: "none", negated: false, subject: subject ?? "", expected: "" };
  }
  return fromLinks(source, subject ?? "", rest);
}

/** By the last link that says something. */
function fromLinks(source: Source, subject: string, rest: readonly Segment[]): Demand {
  const negated =
    rest.some(({ name }) => /^(?:not|never|Not|to_not|not_to|toNot|notTo|isNot)$/.test(name)) ||
    /^(?:wont|shouldNot)/.test(rest.at(-1)?.name ?? "");
  const telling = rest.filter(
    ({ name, from }) =>
      !CONNECTIVE.test(name) ||
      (from !== null && !/^(?:not|be|to|as|describedAs|because|withMessage|resolves|rejects)$/.test(name)) ||
      /^isNotNull$/.test(name),
  );
  const link =
    telling.find(
      ({ name }) =>
        !/^(?:extracting|filteredOn|first|last|element|usingRecursiveComparison|not|it|its|isNotNull|usingElementComparator|isPresent)$/.test(
          name,
        ),
    ) ??
    telling[0] ??
    rest.at(-1);
  if (link === undefined) return { relation: "none", negated, subject, expected: "" };
  const values = argumentsOf(source, link);
  const extra = telling
    .filter((other) => other !== link && other.from !== null)
    .flatMap((other) => argumentsOf(source, other));
  if (/^(?:isEqualTo|toBe|toEqual|equal|eq|be|Be|is)$/.test(link.name) && values.length === 1) {
    return demandOf({ relation: "equal", negated, left: subject, right: [values[0]!, ...extra].join(",") });
  }
  const demand = fromWords(subject, link.name, [...values, ...extra].join(","));
  return { ...demand, negated: negated !== demand.negated };
}

/** `equalTo(5)`, `Is.EqualTo(5)`, `isNotNull`, `throwsA(…)`: a matcher given as a value. */
function fromMatcher(subject: string, matcher: string): Demand {
  const called =
    /^(?:Is|Has|Does|Throws|CoreMatchers|Matchers)?\.?((?:\w+\.)*\w+)(?:<[^<>]*>)?(?:\((.*)\))?(?:\..*)?$/s.exec(
      matcher,
    );
  if (called === null || isLiteral(matcher))
    return demandOf({ relation: "equal", negated: false, left: subject, right: matcher });
  const [, path, inside] = called;
  const nested = inside === undefined ? null : /^(\w+)\((.*)\)$/s.exec(inside);
  if (nested !== null && /^(?:is|not|notNullValue|equalTo)$/.test(path!)) {
    const demand = fromWords(subject, nested[1]!, nested[2]!);
    return { ...demand, negated: demand.negated !== (path === "not") };
  }
  return fromWords(subject, path === "is" || path === "equalTo" || path === "equals" ? "equal" : path!, inside ?? "");
}

/** `assertEquals(a, b)`, `t.is(a, b)`, `EXPECT_EQ(a, b)`, `assertTrue(a)`. */
function fromName(name: string, head: string, given: readonly string[]): Demand | null {
  const values = CONTEXT.test(given[0] ?? "") && /^(?:assert|require|Assert)|^is\b/.test(head) ? given.slice(1) : given;
  if (/^(?:fail|Fail|flunk|XCTFail)$/.test(name)) return null;
  const relation = relationOf(name);
  const opposed =
    /^(?:refute|wont|false$|assertFalse|assert_false|isFalse|falsy|notOk|False|IsFalse|XCTAssertFalse|(?:EXPECT|ASSERT|REQUIRE|CHECK)_FALSE|assert_not$|assertNotIn|NotContains|assertNotContains|assert_not_\w+|DoesNot)/.test(
      name,
    );
  if (relation === "truthy" || values.length === 0) {
    if (values.length === 0 && !/throw|raise|Exception/i.test(name)) return null;
    if (relation === "truthy") return judgeExpression(values[0]!, opposed);
  }
  if (relation === "quiet" && /NoError|NoErr/.test(name))
    return { relation: "quiet", negated: false, subject: values[0] ?? "", expected: "" };
  if (relation === "throws" || relation === "quiet") return thrown(name, relation, values);
  if (
    ["defined", "type"].includes(relation) ||
    (relation === "equal" && /Null|Nil|None|Empty|_nil|_empty|NaN/i.test(name))
  ) {
    const kind =
      relation === "type"
        ? { subject: values.at(-1)!, expected: values[0]! }
        : { subject: values[0]!, expected: relation === "equal" ? "nil" : "" };
    return { relation, negated: opposed, ...kind };
  }
  if (values.length < 2) return { relation, negated: opposed, subject: values[0] ?? "", expected: "" };
  if (relation === "compare") {
    return { relation, negated: opposed, subject: values[0]!, expected: signOf(name) + values[1]! };
  }
  const right = relation === "near" ? [values[1], values[2] ?? ""].join(",") : values[1]!;
  // What is looked for comes first here, in whatever is looked through.
  const isMember =
    relation === "contain" &&
    /^(?:assert(?:Not)?In|assert_(?:not_)?in|assert(?:Not)?Contains|assertStringContainsString)$/.test(name);
  const demand = isMember
    ? { relation, negated: false, subject: values[1]!, expected: values[0]! }
    : demandOf({ relation, negated: false, left: values[0]!, right });
  return { ...demand, negated: opposed !== demand.negated };
}

function fromWords(subject: string, name: string, expected: string): Demand {
  const relation = relationOf(name);
  const plain = name.toLowerCase();
  const opposed =
    /^(?:not|dont|wont)|not_?be|isnot(?!null|nil|undef|none|empty|blank)|fals[ey]|doesnot|notcontain|not_contain/.test(
      plain,
    ) &&
    relation !== "different" &&
    relation !== "defined" &&
    relation !== "quiet";
  if (relation === "truthy") return judgeExpression(subject, opposed);
  if (relation === "compare") return { relation, negated: opposed, subject, expected: signOf(name) + expected };
  if (relation === "equal") {
    if (expected !== "") {
      const demand = demandOf({ relation, negated: false, left: subject, right: expected });
      return { ...demand, negated: opposed !== demand.negated };
    }
    return { relation, negated: opposed, subject, expected: /empty/.test(plain) ? "[]" : "nil" };
  }
  return { relation, negated: opposed, subject, expected };
}

/** Of what is thrown the kind and the message are expected; the code that throws is the subject. */
function thrown(name: string, relation: Relation, values: readonly string[]): Demand {
  const isCode = (value: string): boolean =>
    /=>|\bfunction\b|^lambda|\bfn\b|^\(\)->|^func\b|^\|\|/.test(value) || value.startsWith("{");
  const subject = values.find(isCode) ?? "";
  const expected = values.filter((value) => value !== subject && value !== "").join(",");
  return { relation, negated: /^(?:refute|assert_nothing)/.test(name), subject, expected };
}

function signOf(name: string): string {
  const plain = name.toLowerCase();
  const orEqual = /orequal|atleast|atmost|ge$|le$|gte$|lte$|_ge|_le/.test(plain) ? "=" : "";
  return (/less|below|atmost|lt|le$|lte$|_le|before|negative/.test(plain) ? "<" : ">") + orEqual;
}

function argumentsOf(source: Source, { from, to }: Segment): string[] {
  if (from === null || to === null) return [];
  const end = Math.min(to, from + ARGUMENT_LENGTH_MAX);
  return splitArguments(source, from, end).map((part) => evened(source.code.slice(part.from, part.to)));
}

/** What stands before a method on its line: the value under test, or the mock. */
function receiverAt({ bare, code }: Source, at: number): string {
  const from = Math.max(bare.lastIndexOf("\n", at - 1) + 1, at - 200);
  return evened(code.slice(from, at)).replace(/^(?:await|return|const \w+=|_\(|expect\()\s?/, "");
}
