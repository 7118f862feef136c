import { evened } from "./find-tests.ts";
import { judgeCall, type Read } from "./judge-call.ts";
import { type Demand, judgeExpression } from "./judge-expression.ts";
import { type Relation, type Strength, strengthOf } from "./judge-matcher.ts";
import { chainAt } from "./read-chain.ts";
import { lineAt, type Source } from "./survey.ts";

export interface Assertion {
  source: Source;
  at: number;
  line: number;
  relation: Relation;
  negated: boolean;
  subject: string;
  expected: string;
  strength: Strength;
  /** As written, on one line. */
  text: string;
}

/** More assertions in one file are not told apart any more. */
const ASSERTIONS_MAX = 5000;

/** Longer statements are read by their beginning. */
const STATEMENT_LENGTH_MAX = 1200;

/** What an assertion begins with, in all languages. */
const BEGINNING = new RegExp(
  [
    // Methods: t.is(…), require.NoError(…), Assert.Equal(…), mock.assert_called_once(), response->assertOk(), cy.should(…).
    "(?<![\\w$.])(?:t|assert|require|Assert|Assertions|is|expect|test|tap|qt|c|chai\\.assert|pytest|util\\.assert)\\.(?:is|not|true|false|truthy|falsy|ok|notOk|equals?|same|like|deepEqual|strictEqual|throws(?:Async)?|notThrows(?:Async)?|regex|snapshot|match|matches|rejects|doesNotThrow|fail|raises|warns|approx|Assert|Check)(?=[(<])",
    "(?<![\\w$.])(?:assert|require|Assert|Assertions|must)\\.[A-Z]\\w+(?=[(<])",
    // Calls: expect(…), assertEquals(…), self.assertTrue(…), Assert.Equal(…), assert_eq!(…), XCTAssertNil(…), verify(…).
    "(?<![\\w$.])(?:(?:self|this|\\$this|Assert|assert|Assertions|Chai|chai|require|sinon\\.assert|static|self::|s|suite|is|t\\.assert)(?:\\.|->|::))?#?(?:expect(?:TypeOf|All|\\.soft|\\.poll|Throws|Output|Exception\\w*)?|is_expected|assert\\w*|Assert\\.\\w+|refute\\w*|flunk|XCTAssert\\w*|XCTUnwrap|(?:EXPECT|ASSERT|REQUIRE|CHECK|BOOST)_\\w+|REQUIRE|CHECK|verify(?:NoMoreInteractions|Never)?|verifyNoInteractions|Truth\\.assertThat|should\\w*|(?:ok|deepEqual|deepStrictEqual|strictEqual|notStrictEqual|notDeepEqual)(?=\\())\\b",
    "(?:\\.|->)(?:assert\\w*|should|expect|Should|must_\\w+|wont_\\w+|should_\\w+|toHave\\w+)(?=[(])",
    // Infix: x shouldBe y, value.must_equal y, x.should == y.
    "(?<=[\\w)\\]}\"'] )(?:should(?:Be|Not|Contain|Throw|Start|End|Have|Match|Equal)\\w*|mustBe|mustEqual|must_equal|should (?:be|equal|eq|contain|have)\\b)",
    "(?<=\\.)(?:must_\\w+|should(?:_not)?)(?= )",
    // Go: if got != want { t.Errorf(…) }.
    "(?<![\\w$.])(?:t|b|tb|f|s)\\.(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow)\\(",
    // Clojure.
    "\\((?:is|are)(?= \\()",
  ].join("|"),
  "g",
);

/** `[ "$x" = y ]`, `[[ … ]]`, `grep -q …` of shells' tests: the whole line. */
const SHELL_LINE = /^[ \t]{0,60}(?:\[\[? .{1,400}|(?:grep|diff|cmp|test) .{1,400}|.{1,300}\| ?grep .{1,200})$/gm;

/** Spock's bare conditions. */
const CONDITION_LINE = /^[ \t]{4,60}[\w.()[\], "'$-]{1,200}? (?:==|!=|>=|<=|in|=~) ?.{1,200}$/gm;

/** All assertions of a file among the tests, in the order of the text. */
export function readAssertions(source: Source | null): Assertion[] {
  if (source === null) return [];
  const found: Assertion[] = [];
  let behind = -1;
  for (const match of source.bare.matchAll(BEGINNING)) {
    if (found.length >= ASSERTIONS_MAX) return found;
    // An assertion within another one's chain belongs to it.
    if (match.index < behind) continue;
    const read = readAt(source, match.index, match[0]);
    if (read === null) continue;
    behind = read.to;
    found.push(assertionOf(source, match.index, read));
  }
  if (source.language === "shell") found.push(...linesAs(source, SHELL_LINE));
  if (source.language === "groovy") found.push(...linesAs(source, CONDITION_LINE));
  return found.sort((a, b) => a.at - b.at);
}

function readAt(source: Source, at: number, head: string): Read | null {
  const { bare, code, language } = source;
  if (/\.(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow)\($/.test(head)) return readFailure(source, at);
  if (isDeclared(source, at)) return null;
  const behind = at + head.length;
  if (head === "(is" || head === "(are") {
    const open = behind + 1;
    const close = source.brackets.get(open);
    return close === undefined ? null : { demand: judgePrefix(code.slice(open + 1, close)), to: close };
  }
  const chain = chainAt(source, at, head);
  if (chain !== null) return judgeCall(source, { at, head, chain });
  const word = head.replace(/^.*[.>:]/, "");
  const isStatement =
    /^(?:assert|refute|expect|flunk)(?:_\w+)?$/.test(word) && /^[ \t(]/.test(bare.slice(behind, behind + 1));
  const isInfix = /^(?:should|must)/.test(word);
  if (!isStatement && !isInfix) return null;
  const to = endOfStatement(source, behind);
  const rest = code.slice(behind, to).trim();
  if (rest === "") return null;
  if (isInfix) {
    const from = bare.lastIndexOf("\n", at) + 1;
    const left = evened(code.slice(Math.max(from, at - 300), at)).replace(/\.$/, "");
    return { demand: infix(left, word, evened(rest)), to };
  }
  if (word === "assert" || word === "refute") {
    return { demand: judgeExpression(firstOf(rest, language === "java" ? ":" : ","), word === "refute"), to };
  }
  return judgeCall(source, { at, head: word, chain: { segments: [{ name: word, from: behind, to }], to } });
}

/** Whether what begins here is a function that is being declared, or imported, and not called. */
function isDeclared({ bare }: Source, at: number): boolean {
  const from = bare.lastIndexOf("\n", at - 1) + 1;
  const before = bare.slice(Math.max(from, at - 120), at);
  return /(?:\b(?:function|def|defp|func|fn|fun|void|import|from|class|use|const|let|var|require)[ \t*]+(?:\w+[ \t]+)?|\bimport\b[^;\n]*|^[ \t]*#include.*)$/.test(
    before,
  );
}

/** Go's own way: the condition around a failure is the opposite of what is demanded. */
function readFailure(source: Source, at: number): Read | null {
  const { bare, code } = source;
  const head = bare.slice(Math.max(0, at - 400), at);
  const open = head.lastIndexOf("{");
  if (open < 0 || /\S/.test(head.slice(open + 1).replace(/\b(?:t|b)\.\w+\([^()\n]*\)/g, ""))) return null;
  const line = head.lastIndexOf("\n", open) + 1;
  const text = code.slice(at - head.length + line, at - head.length + open);
  const condition = /\bif\b(.*)$/.exec(text);
  if (condition === null) return null;
  const parts = condition[1]!.split(";");
  const demand = judgeExpression(parts.at(-1)!, true);
  const direct = opposite(demand);
  const first = parts.length > 1 ? evened(parts[0]!).replace(/^.*?:?=/, "") : null;
  if (first !== null && /^\w+$/.test(direct.subject)) direct.subject = first;
  return { demand: direct, to: at + 1 };
}

/** `not different` is `equal`, and the other way round. */
export function opposite(demand: Demand): Demand {
  const { relation, negated } = demand;
  if (!negated) return { ...demand };
  if (relation === "different") return { ...demand, relation: "equal", negated: false };
  if (relation === "equal") return { ...demand, relation: "different", negated: false };
  if (relation === "defined") return { ...demand, relation: "equal", negated: false, expected: "nil" };
  if (relation === "compare") return { ...demand, negated: false, expected: turned(demand.expected) };
  return { ...demand };
}

function turned(expected: string): string {
  const opposites: Readonly<Record<string, string>> = { "<": ">=", ">": "<=", "<=": ">", ">=": "<" };
  const sign = /^[<>]=?/.exec(expected)?.[0] ?? "";
  return (opposites[sign] ?? sign) + expected.slice(sign.length);
}

function infix(left: string, word: string, right: string): Demand {
  return judgeExpression(
    `${left} ${/not|wont/i.test(word) ? "!=" : "=="} ${right.replace(/^(?:be|equal|eq|==)\b ?/, "").replace(/^==/, "")}`,
  );
}

/** `= a b` and its like. */
function judgePrefix(text: string): Demand {
  const match = /^\s*(\S+)\s+(\S+|\([^()]*\))\s+(.*)$/s.exec(text);
  if (match === null) return judgeExpression(text);
  return judgeExpression(`${match[2]} ${match[1] === "=" ? "==" : match[1]} ${match[3]}`);
}

function linesAs(source: Source, form: RegExp): Assertion[] {
  return [...source.code.matchAll(form)].slice(0, ASSERTIONS_MAX).map((match) => {
    const text = match[0].trim();
    const inside = /^\[\[? (.*?) \]\]?(.*)$/.exec(text);
    const demand =
      inside === null || inside[2]!.includes("true")
        ? judgeExpression(inside === null ? text : "true")
        : judgeExpression(inside[1]!);
    return assertionOf(source, match.index, { demand, to: match.index + match[0].length });
  });
}

function assertionOf(source: Source, at: number, { demand, to }: Read): Assertion {
  const { relation, negated, subject, expected } = demand;
  return {
    source,
    at,
    line: lineAt(source, at),
    relation,
    negated,
    subject: subject.replace(/^await /, ""),
    expected,
    strength: strengthOf(relation, negated, expected),
    text: evened(source.code.slice(at, Math.min(to, at + 200))),
  };
}

/** Where a statement without brackets ends: at the first line end outside of brackets. */
function endOfStatement({ bare, brackets }: Source, from: number): number {
  const limit = Math.min(bare.length, from + STATEMENT_LENGTH_MAX);
  for (let at = from; at < limit; at++) {
    const character = bare[at]!;
    if ("([{".includes(character)) at = brackets.get(at) ?? at;
    else if (character === ";" || (character === "\n" && !/[\\=,&|]\s*$/.test(bare.slice(Math.max(from, at - 5), at))))
      return at;
    else if (character === "}" || character === ")") return at;
  }
  return limit;
}

/** What stands before the first separator outside of strings and brackets. */
function firstOf(text: string, separator: string): string {
  let depth = 0;
  let quote = "";
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    if (quote !== "") {
      if (character === "\\") at++;
      else if (character === quote) quote = "";
    } else if (character === '"' || character === "'") quote = character;
    else if ("([{".includes(character)) depth++;
    else if (")]}".includes(character)) depth--;
    else if (character === separator && depth === 0) return text.slice(0, at);
  }
  return text;
}
