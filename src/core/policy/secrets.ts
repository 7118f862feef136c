/**
 * Well-known secrets in text: by what they begin with, never by how random they look, so that hashes and ids are none.
 * Every pattern is decided within `DECIDED_WITHIN` characters of its beginning and holds no end of a line; what goes on
 * in the same characters belongs to it, however long it is.
 */

/** The longest beginning of a pattern below, and of a value that is looked for. */
export const DECIDED_WITHIN = 1024;

/** Characters before its beginning by which a pattern may be decided. */
export const LOOKS_BACK = 2;

/** Shorter values are words, numbers and switches, which stand everywhere. */
const VALUE_LENGTH_MIN = 8;

const PARTS = new RegExp(`.{1,${DECIDED_WITHIN}}`, "g");

/** Keys and tokens of services, which go on in letters, digits, `_` and `-`. */
const KEYS = [
  // Anthropic, GitHub, GitLab, Google.
  "sk-ant-[\\w-]{16}",
  "gh[pousr]_[A-Za-z0-9]{30}",
  "github_pat_\\w{22}",
  "glpat-[\\w-]{20}",
  "AIza[\\w-]{35}",
  "GOCSPX-[\\w-]{24}",
  "ya29\\.[\\w-]{20}",
  // Slack, SendGrid, registries, platforms.
  "xox[abeoprs]-[\\w-]{10}",
  "SG\\.[\\w-]{22}\\.[\\w-]{40}",
  "pypi-AgE[\\w-]{50}",
  "dckr_pat_[\\w-]{20}",
  "do[opr]_v1_[a-f0-9]{60}",
  "AGE-SECRET-KEY-1[A-Z0-9]{50}",
].join("|");

/** The same of which the beginning may be the end of a plain word: they are secrets only where a word begins. */
const WORDS = [
  // OpenAI and those that took its form, AWS, Stripe, Telegram, npm; Hugging Face, Groq, Replicate, Linear; xAI, Perplexity.
  "sk-(?:(?:proj|svcacct|admin|or-v1)-[\\w-]{20}|[A-Za-z0-9]{32})",
  "A[KS]IA[A-Z0-9]{16}",
  "(?:[rs]k_(?:live|test)|whsec)_[A-Za-z0-9]{16}",
  "\\d{8,10}:AA[\\w-]{33}",
  "npm_[A-Za-z0-9]{36}",
  "(?:hf|gsk|r8|lin_api|lin_oauth)_[A-Za-z0-9]{30}",
  "(?:xai|pplx)-[A-Za-z0-9]{40}",
].join("|");

/** What stands before a word; `\n` and its like inside a string of JSON do, too. */
const BEFORE_WORD = /(?:^|[^A-Za-z0-9]|\\[nrt])$/;

/** Tokens that are told by what stands before them, which stays, and web tokens. */
const CARRIED = [
  "eyJ[\\w-]{10,200}\\.[\\w-]{10}",
  "(?<bearer>[Bb]earer )(?=[\\w.~+/-]{0,60}\\d)[\\w.~+/-]{20}",
  "(?<basic>[Aa]uthorization\\\\?[\"']?: {0,2}\\\\?[\"']?[Bb]asic )[A-Za-z0-9+/]{8}",
  "(?<aws>(?:SECRET_ACCESS_KEY|secret_access_key|SecretAccessKey)\\\\?[\"']? {0,2}[=:] {0,2}\\\\?[\"']?)[A-Za-z0-9+/]{40}",
  "(?<azure>AccountKey=)[A-Za-z0-9+/]{60}",
].join("|");

/** The password of an address, which ends at its `@`. */
const PASSWORD = "(?<user>:\\/\\/[^\\s:\\/@\"'\\\\]{0,64}:)[^\\s\\/@\"'\\\\$]{3,128}(?=@)";

const PRIVATE_KEY = "-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----";

/** Names of the groups whose text stays. */
const KEPT = ["bearer", "basic", "aws", "azure", "user"];

/** How a secret of each kind goes on; a value and a password do not. */
const GOING_ON: Readonly<Record<string, RegExp>> = {
  key: /[\w-]*/y,
  word: /[\w-]*/y,
  carried: /[\w.~+/=-]*/y,
  private: /[A-Za-z0-9+/=\r\n\\]*/y,
};

export interface Secrets {
  readonly pattern: RegExp;
}

/** What is looked for: the well-known ones, and these very values, as they are and as they stand in JSON. */
export function secretsOf(values: readonly string[]): Secrets {
  const pieces = [...new Set(values.flatMap((value) => [value, JSON.stringify(value).slice(1, -1)]).flatMap(piecesOf))];
  // Of two that begin alike the longer is meant.
  const exact = pieces.sort((a, b) => b.length - a.length).map(escaped);
  const kinds = [
    ...(exact.length > 0 ? [`(?:${exact.join("|")})`] : []),
    `(?<key>${KEYS})`,
    `(?<word>${WORDS})`,
    `(?<carried>${CARRIED})`,
    PASSWORD,
    `(?<private>${PRIVATE_KEY})`,
  ];
  return { pattern: new RegExp(kinds.join("|"), "g") };
}

/**
 * A secret that was found: it is told from `told` on, itself lies from `from` to `to`, and may go on behind that. The next
 * one may begin inside of it.
 */
export interface Found {
  told: number;
  from: number;
  to: number;
  goesOn: RegExp | null;
}

/** The first one that is told at or after `from`. */
export function findSecret({ pattern }: Secrets, text: string, from: number): Found | null {
  let match: RegExpExecArray | null;
  for (pattern.lastIndex = from; ; pattern.lastIndex = match.index + 1) {
    match = pattern.exec(text);
    if (match === null) return null;
    const { index } = match;
    if (match.groups?.["word"] === undefined || BEFORE_WORD.test(text.slice(Math.max(0, index - LOOKS_BACK), index)))
      break;
  }
  const groups = match.groups ?? {};
  const kept = KEPT.map((name) => groups[name]).find((group) => group !== undefined) ?? "";
  const kind = Object.keys(GOING_ON).find((name) => groups[name] !== undefined);
  const goesOn = kind === undefined ? null : GOING_ON[kind]!;
  const told = match.index;
  const end = told + match[0].length;
  return { told, from: told + kept.length, to: goesOn === null ? end : skip(goesOn, text, end), goesOn };
}

/** Where the text no longer goes on as a secret of that kind does. */
export function skip(goesOn: RegExp, text: string, from: number): number {
  goesOn.lastIndex = from;
  goesOn.test(text);
  return goesOn.lastIndex;
}

/** Its lines, and longer ones in parts: each is looked for by itself. */
function piecesOf(value: string): string[] {
  return value
    .split(/[\r\n]+|\\[rn]/)
    .flatMap((line) => line.match(PARTS) ?? [])
    .filter(({ length }) => length >= VALUE_LENGTH_MIN);
}

function escaped(text: string): string {
  return text.replaceAll(
    /[\\^$.*+?()[\]{}|/-]/g,
    (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`,
  );
}
