import { matchBrackets } from "./brackets.ts";
import type { ChangedFile, IntegrityChange } from "./integrity-change.ts";
import { isProgram, type Language, languageOf } from "./languages.ts";
import { type Masked, maskSource } from "./mask-source.ts";
import { pathsNamedBy, type Role, roleOf } from "./roles.ts";
import { isCollected } from "./test-files.ts";

/** One side of a changed file, as it is looked at. */
export interface Source extends Masked {
  path: string;
  text: string;
  language: Language;
  role: Role;
  /** Offset of the closing bracket for each opening one. */
  brackets: ReadonlyMap<number, number>;
  /** The offset at which each line begins. */
  starts: readonly number[];
  /** Whether runners collect it as tests. */
  collected: boolean;
}

export interface Pair {
  file: ChangedFile;
  before: Source | null;
  after: Source | null;
  /** Of the side after the change, or before it where it is gone. */
  role: Role;
}

export interface Survey {
  pairs: readonly Pair[];
  checks: readonly string[];
  /** Paths that the check commands name. */
  named: ReadonlySet<string>;
}

/** A line that stands on one side only, or more often there. */
export interface ChangedLine {
  source: Source;
  /** From 1. */
  line: number;
  /** Comments blanked. */
  code: string;
  /** Comments and what stands in quotes blanked. */
  bare: string;
  comment: string;
}

/** What lies further to the right in a line is not looked at; no one writes checks there. */
export const LINE_LENGTH_MAX = 2000;

/** A text that declares tests, in any language that is collected by directory. */
const DECLARES =
  /\b(?:it|test|specify|describe|suite|scenario)(?:\.\w{1,20})?\s?\(|@Test\b|\[(?:Fact|Theory|Test|TestMethod)\b|#\[(?:\w+::)?(?:test|rstest)\b|\bfunc(?:tion)? test|^[ \t]{0,60}def test_|@test\b|\bTEST(?:_F|_P|_CASE)?\(|\b(?:node:)?assert\b/m;

export function surveyOf(change: IntegrityChange): Survey {
  const named = namedFiles(change);
  const pairs = change.files.map((file): Pair => {
    const before = file.before === null ? null : sourceOf(file.old_path ?? file.path, file.before, named);
    const after = file.after === null ? null : sourceOf(file.path, file.after, named);
    return { file, before, after, role: after?.role ?? before?.role ?? roleOf(file.path, named) };
  });
  return { pairs, checks: change.checks, named };
}

/** The changed files that the checks name, from the top of the repository or from a directory below it. */
function namedFiles({ files, checks }: IntegrityChange): Set<string> {
  const words = pathsNamedBy(checks);
  const paths = files.flatMap(({ path, old_path }) => (old_path === null ? [path] : [path, old_path]));
  return new Set(paths.filter((path) => words.has(path) || endsOf(path).some((end) => words.has(end))));
}

/** What remains of a path when its first directories are left away, as long as a directory is left. */
function endsOf(path: string): string[] {
  const names = path.split("/");
  return names.slice(1, -1).map((_, index) => names.slice(index + 1).join("/"));
}

/** The number of the line, from 1, that an offset lies in. */
export function lineAt({ starts }: Pick<Source, "starts">, offset: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (starts[middle]! <= offset) low = middle;
    else high = middle - 1;
  }
  return low + 1;
}

/** The lines of `source` that `other` does not hold, or not as often. Indentation and outer blanks make no difference. */
export function linesOnlyIn(source: Source | null, other: Source | null): ChangedLine[] {
  if (source === null) return [];
  const spare = new Map<string, number>();
  for (const line of other?.text.split("\n") ?? []) spare.set(line.trim(), (spare.get(line.trim()) ?? 0) + 1);
  const lines: ChangedLine[] = [];
  source.text.split("\n").forEach((line, index) => {
    const key = line.trim();
    const left = spare.get(key) ?? 0;
    if (left > 0) spare.set(key, left - 1);
    else if (key !== "") lines.push(lineOf(source, index));
  });
  return lines;
}

function lineOf(source: Source, index: number): ChangedLine {
  const from = source.starts[index]!;
  const end = (source.starts[index + 1] ?? source.text.length + 1) - 1;
  const to = Math.min(end, from + LINE_LENGTH_MAX);
  return {
    source,
    line: index + 1,
    code: source.code.slice(from, to),
    bare: source.bare.slice(from, to),
    comment: source.comments.slice(from, to),
  };
}

function sourceOf(path: string, raw: string, named: ReadonlySet<string>): Source {
  const text = raw.includes("\r") ? raw.replaceAll("\r\n", "\n").replaceAll("\r", "\n") : raw;
  const language = languageFor(path, text);
  const role = roleOf(path, named);
  // What no program is written in has no brackets that matter.
  const masked = maskSource(text, language);
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return {
    path,
    text,
    language,
    role,
    ...masked,
    brackets: isProgram(language) || language === "json" ? matchBrackets(masked.bare) : new Map(),
    starts,
    collected: role !== "artefact" && isCollected(path, DECLARES.test(text)),
  };
}

/** By its name, or by its first line where the name says nothing. */
function languageFor(path: string, text: string): Language {
  const language = languageOf(path);
  if (language !== "text" || !text.startsWith("#!")) return language;
  const first = text.slice(0, 100).split("\n")[0]!;
  if (/\b(?:ba|z|k|da)?sh\b/.test(first)) return "shell";
  if (/python/.test(first)) return "python";
  if (/node|deno|bun|tsx/.test(first)) return "javascript";
  return /ruby/.test(first) ? "ruby" : "text";
}
