import { evened } from "./find-tests.ts";
import { type Relation, relationOf } from "./judge-matcher.ts";

/** What an expression demands of which value. */
export interface Demand {
  relation: Relation;
  negated: boolean;
  subject: string;
  expected: string;
}

/** Longer expressions are judged by their beginning. */
const EXPRESSION_LENGTH_MAX = 1000;

const LITERAL =
  /^(?:-?\d[\w.]*|[rbfu@$]{0,2}".*|[:'][\w?!]+|true|false|null|nil|None|True|False|undefined|NaN|\[.*|\{.*|\(.*,.*|new [\w.<>]+[[{(].*|&?\w*\[\]\w+\{.*|(?:List|Set|Map|Arrays?|Vec|vec!|array|Ok|Err|Some|listOf|setOf|mapOf|dict|set|tuple|frozenset|Decimal|BigDecimal|Date|timedelta|datetime)\b[.(![].*|~r.*|%[{\w].*|\/.*\/\w*)$/s;

/** What stands for no value at all. */
const NOTHING = /^(?:null|nil|None|undefined|nullptr|NULL)$/;

/** Names of errors that functions return. */
const ERROR = /^(?:\w*[eE]rr|err(?:or)?)$/;

/** Looked for in the order given, outside of strings and brackets. The last says that the operator negates. */
const OPERATORS: readonly (readonly [RegExp, Relation, boolean])[] = [
  [/===|(?<![=!<>])==(?!=)/, "equal", false],
  [/!==?/, "different", false],
  [/=~/, "match", false],
  [/<=|>=/, "compare", false],
  [/(?<![.\w])not in\b/, "contain", true],
  [/(?<![.\w])in\b/, "contain", false],
  [/(?<![.\w])is not\b/, "different", false],
  [/(?<![.\w])is\b/, "equal", false],
  [/(?<![.\w])instanceof\b/, "type", false],
  [/[<>]/, "compare", false],
  [/=/, "equal", false],
];

/** Whether the text is a value written down, as against one that is worked out. */
export function isLiteral(text: string): boolean {
  return LITERAL.test(text);
}

/** What the truth of an expression demands. The text is code as written, its strings kept. */
export function judgeExpression(code: string, negated = false): Demand {
  const text = unwrapped(evened(code.slice(0, EXPRESSION_LENGTH_MAX)));
  const not = /^(?:!(?!=)|not\b ?)(.*)$/s.exec(text);
  if (not !== null) return judgeExpression(not[1]!, !negated);
  if (/^(?:true|True|1|:ok|:)$/.test(text)) return constant(text, negated);
  if (/^(?:false|False|0|nil|None|null)$/.test(text)) return constant(text, !negated);
  const levels = flattened(text);
  if (/(?:\|\||\bor\b) ?(?:true|True|1)\b|^(?:true|True|1) ?(?:\|\||or\b)/.test(levels)) return constant(text, negated);
  if (/\|\||(?<![.\w])or\b/.test(levels)) return { relation: "either", negated, subject: text, expected: "" };
  for (const [sign, relation, not] of OPERATORS) {
    const match = sign.exec(levels);
    if (match === null || match.index === 0) continue;
    const left = text.slice(0, match.index).trim();
    const right = text.slice(match.index + match[0].length).trim();
    if (relation === "contain") return { relation, negated: negated !== not, subject: right, expected: left };
    return demandOf({ relation, negated, left, right: relation === "compare" ? match[0] + right : right });
  }
  return predicate(text, negated);
}

/** The demand of a relation between two sides, of which the one that is written down is the expected one. */
export function demandOf({
  relation,
  negated,
  left,
  right,
}: {
  relation: Relation;
  negated: boolean;
  left: string;
  right: string;
}): Demand {
  const swapped = isLiteral(left) && !isLiteral(right) && relation !== "compare";
  const subject = swapped ? right : left;
  const given = swapped ? left : right;
  const expected = NOTHING.test(given) ? "nil" : given;
  if (relation === "equal") {
    // Errors are values in some languages: that there is none means that all went well.
    if (expected === "nil" && ERROR.test(subject))
      return { relation: negated ? "throws" : "quiet", negated: false, subject, expected: "" };
    if (subject === expected || (isLiteral(subject) && isLiteral(expected) && scalar(subject) && scalar(expected))) {
      return constant(subject, negated);
    }
    if (/^(?:true|True|1==1)$/.test(expected)) return judgeBoolean(subject, negated);
    if (/^(?:false|False)$/.test(expected)) return judgeBoolean(subject, !negated);
    const measured =
      /^(?:len|count|sizeof|strlen)\((.*)\)$/.exec(subject) ??
      /^(.*)\.(?:length|size|count|Count|Length|len)(?:\(\))?$/.exec(subject);
    if (measured !== null) return { relation: "length", negated, subject: measured[1]!, expected };
  }
  if (relation === "different" && expected === "nil") {
    if (ERROR.test(subject)) return { relation: negated ? "quiet" : "throws", negated: false, subject, expected: "" };
    return { relation: "defined", negated, subject, expected: "" };
  }
  return { relation, negated, subject, expected };
}

/** A comparison with true or false says what the expression itself does. */
function judgeBoolean(subject: string, negated: boolean): Demand {
  return judgeExpression(subject, negated);
}

/** `x.includes(y)`, `isinstance(x, y)`, `ok(x)`: by the name that is called. */
function predicate(text: string, negated: boolean): Demand {
  const called = /^(.*?)(?:\.|->|::)?(\w+[?!]?)\((.*)\)$/s.exec(text);
  if (called === null) return { relation: "truthy", negated, subject: text, expected: "" };
  const [, receiver, name, inside] = called as unknown as [string, string, string, string];
  if (/^(?:typeof|isinstance|issubclass|is_a|instance_of|hasattr)$/.test(name)) {
    return {
      relation: "type",
      negated,
      subject: inside.split(",")[0]!,
      expected: inside.split(",").slice(1).join(","),
    };
  }
  const relation = relationOf(name);
  const told = ["contain", "match", "equal", "shape", "near"].includes(relation) && receiver !== "" && inside !== "";
  if (told) return demandOf({ relation, negated, left: receiver, right: inside });
  // What a predicate answers is one of two values, and its arguments tell which question was asked.
  return { relation: "truthy", negated, subject: text, expected: "" };
}

/** Every result satisfies it; its opposite is a failure that is meant to stand where nothing should come. */
function constant(text: string, negated: boolean): Demand {
  return { relation: negated ? "other" : "none", negated: false, subject: text, expected: negated ? "never" : "" };
}

function scalar(text: string): boolean {
  return !/^[[{(]/.test(text) || text.length < 3;
}

function unwrapped(text: string): string {
  return text.startsWith("(") && text.endsWith(")") && closesLast(text) ? unwrapped(text.slice(1, -1)) : text;
}

function closesLast(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "(") depth++;
    else if (text[at] === ")" && --depth === 0) return at === text.length - 1;
  }
  return false;
}

/** Strings and everything in brackets blanked; evened texts know one kind of quotes only. */
function flattened(text: string): string {
  let depth = 0;
  let quoted = false;
  let flat = "";
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    if (quoted) {
      if (character === "\\") {
        at++;
        flat += "_";
      } else if (character === '"') quoted = false;
      flat += "_";
    } else if (character === '"') {
      quoted = true;
      flat += "_";
    } else if ("([{".includes(character)) {
      depth++;
      flat += "_";
    } else if (")]}".includes(character)) {
      depth = Math.max(0, depth - 1);
      flat += "_";
    } else
      flat +=
        depth > 0 ||
        (character === ">" && flat.endsWith("=")) ||
        (character === "=" && text[at + 1] === ">") ||
        (character === ">" && flat.endsWith("-"))
          ? "_"
          : character;
  }
  return flat;
}
