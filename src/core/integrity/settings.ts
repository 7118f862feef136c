import { splitArguments } from "./brackets.ts";
import { type Finding, findingOf } from "./integrity-change.ts";
import { marksAdded } from "./marks.ts";
import type { ChangedLine, Source, Survey } from "./survey.ts";
import { lineAt, linesOnlyIn } from "./survey.ts";

/** Words on a command line by which a check looks at less. */
const NARROWING =
  /(?:\s|["'=])(?:--deselect\b|-k[ =]|--ignore(?:-glob|-path|-pattern)?[ =]|--exclude(?:-\w+)?[ =]|--?testPathIgnorePatterns?\b|--testPathPatterns?\b|--testNamePattern\b|-t ["'\w]|--grep\b|-g ["']|--invert\b|--filter\b|-run[ =]|-skip[ =]|--skip[ =]|-m ["']?not\b|--only\b|--onlyChanged\b|--changedSince\b|--lf\b|--last-failed\b|--tests [\w*]|-Dtest=|-DexcludedGroups|--shard\b|--exclude-tag\b|--tag\s~|--short\b|-short\b|--lib\b|--exclude-group\b|--testsuite\b|--no-default-features\b|--disable=|--disable-all\b|--select[= ]|--extend-ignore[= ])/;

/** Keys that leave something out, and keys that take something in. */
const LEAVING_OUT =
  /["']?\b((?:test|coverage|module|watch)?PathIgnorePatterns|collectCoverageFrom_none|exclude|excludes|excludeFiles|exclude_lines|omit|ignore|ignores|ignored|ignorePatterns|ignore_errors_in|collect_ignore(?:_glob)?|norecursedirs|excludedGroups|excludeTags|per-file-ignores|extend-ignore|extend-exclude|skip|disable|exclude_paths|excludeCategories|disabledRules|disabled_rules|ignoreFiles|skip-files|skip-dirs|exclude-rules|excluded|excludeGroups|testExclude|exclude_patterns|ignore-paths)["']?[ \t]{0,4}(?::|=|\+=|=>)[ \t]{0,4}/g;
const TAKING_IN =
  /["']?\b(include|includes|testMatch|testRegex|testpaths|roots|projects|spec|specs|files|paths|select|extend-select|enable|collectCoverageFrom|python_files|python_functions|source|testFiles|test_files|packages|suites|only_rules|checks|targets)["']?[ \t]{0,4}(?::|=|=>)[ \t]{0,4}/g;

/** Left out without a loss: what tools write and what others wrote. */
const NO_SOURCES =
  /node_modules|dist\b|build\b|\bout\b|coverage|vendor|\.next|\.git\b|\.cache|__pycache__|\.venv|\bvenv\b|target\b|generated|\.d\.ts|\btmp\b|third[_-]party|\.tox|\.eggs|migrations|\.nuxt|storybook|\.min\.|\.snap|fixtures|\.idea|\.vscode|\.worktrees|\.turbo|\.svelte-kit|bin\b|obj\b/i;

const SEVERITY =
  /["']?([@\w/-]{2,60})["']?\s{0,4}[:=]\s{0,4}\[?\s{0,4}["']?(error|warn|warning|off|deny|allow|none|silent|suggestion|[012])\b["']?/;
const LEVELS: Readonly<Record<string, number>> = {
  error: 2,
  deny: 2,
  "2": 2,
  warn: 1,
  warning: 1,
  suggestion: 1,
  "1": 1,
  off: 0,
  allow: 0,
  none: 0,
  silent: 0,
  "0": 0,
};

const SWITCH =
  /(?:<|["']?)([A-Za-z][\w.-]{2,60})(?:["']?\s{0,4}[:=]\s{0,4}["']?|>)(true|false|True|False|on|off|yes|no)\b/;
const STRICT_SWITCH =
  /strict|^no[A-Z_]|^no_|fail|^check|error|enabled?$|warningsaserror|deny|require|disallow|^warn_|bail|forbid|exact|isolated|verify|pedantic|noEmitOnError|useUnknown|alwaysStrict|per_?file|recommended|run_?tests|all$/i;
const LOOSE_SWITCH = /ignore|skip|allow|disable|passWith|suppress|soft|lenient|noCheck/i;

/** Checks that look at less: fewer files, fewer tests, more left out. */
export function judgeNarrowed(survey: Survey): Finding[] {
  const isSetting = ({ role }: Source): boolean => role === "config" || role === "script" || role === "hook";
  const flags = marksAdded(survey, {
    on: isSetting,
    keys: ({ code }) => {
      const found = NARROWING.exec(code);
      return found === null || NO_SOURCES.test(code.slice(found.index)) ? [] : ["flag"];
    },
  }).map(({ line: { source, line, code } }) =>
    findingOf({ rule: "check_narrowed", path: source.path, line, evidence: code }),
  );
  return [...flags, ...judgeLists(survey), ...judgeIgnoreFiles(survey)];
}

/** Rules of checkers turned off or down. */
export function judgeStrictness(survey: Survey): Finding[] {
  const sides = survey.pairs.filter(
    ({ role, file, after }) => (role === "config" || role === "script") && (after !== null || file.kind === "deleted"),
  );
  const before = new Map<string, number[]>();
  const put = (line: ChangedLine, into: Map<string, number[]>): void => {
    for (const { key, level } of levelsIn(line)) into.set(key, [...(into.get(key) ?? []), level]);
  };
  for (const pair of sides) for (const line of linesOnlyIn(pair.before, pair.after)) put(line, before);
  const findings: Finding[] = [];
  const seen = new Map<string, number[]>();
  for (const pair of sides) {
    for (const line of linesOnlyIn(pair.after, pair.before)) {
      put(line, seen);
      for (const { key, level, kind } of levelsIn(line)) {
        const earlier = before.get(key)?.shift();
        const isLower =
          earlier === undefined ? level === 0 && (kind === "rule" || isKnownSwitch(key)) : level < earlier;
        if (isLower)
          findings.push(
            findingOf({ rule: "strictness_lowered", path: line.source.path, line: line.line, evidence: line.code }),
          );
      }
    }
  }
  // Another checker's settings came instead of those of one that is gone.
  const isReplaced = survey.pairs.some(({ role, file }) => role === "config" && file.kind === "added");
  for (const pair of sides.filter(({ after }) => after !== null || !isReplaced)) {
    for (const line of linesOnlyIn(pair.before, pair.after)) {
      for (const { key, level } of levelsIn(line)) {
        if (
          level !== 2 ||
          seen.has(key) ||
          (before.get(key)?.length ?? 0) === 0 ||
          !(isKnownSwitch(key) || /^(?:tsconfig|\.eslintrc|eslint)/.test(line.source.path.split("/").at(-1)!))
        )
          continue;
        findings.push(
          findingOf({
            rule: "strictness_lowered",
            path: pair.file.path,
            line: line.line,
            evidence: `removed: ${line.code}`,
          }),
        );
      }
    }
  }
  return findings;
}

function levelsIn({ code, source }: ChangedLine): { key: string; level: number; kind: "rule" | "switch" }[] {
  const text = code.slice(0, 400);
  const rule = SEVERITY.exec(text);
  if (
    rule !== null &&
    !/^(?:version|port|level|indent|timeout)$/i.test(rule[1]!) &&
    (/[-/]|^[a-z]+$/.test(rule[1]!) || /[a-z]/.test(rule[2]!)) &&
    (/lint|biome|clippy|ruff|analysis|editorconfig|oxlint|Cargo|pyright/i.test(source.path) ||
      /^(?:error|off|deny|allow)$/.test(rule[2]!))
  ) {
    return [{ key: rule[1]!.replace(/^clippy::/, ""), level: LEVELS[rule[2]!]!, kind: "rule" }];
  }
  const found = SWITCH.exec(text);
  if (found === null) return [];
  const isOn = /true|on|yes/i.test(found[2]!);
  const key = found[1]!;
  if (LOOSE_SWITCH.test(key)) return [{ key, level: isOn ? 0 : 2, kind: "switch" }];
  return STRICT_SWITCH.test(key) ? [{ key, level: isOn ? 2 : 0, kind: "switch" }] : [];
}

/** Switches that everyone means when they speak of strict checks. */
function isKnownSwitch(key: string): boolean {
  return /^(?:strict\w*|no(?:Implicit|Unchecked|Unused|Fallthrough|ImplicitReturns|EmitOnError)\w*|exactOptional\w*|TreatWarningsAsErrors|ignore_errors|ignore_missing_imports|disallow_\w+|check_untyped_defs|warn_\w+|failOn\w+|checkJs|failIfNoTests|allowUnreachableCode|noCheck|testFailureIgnore|ignoreBuildErrors|ignoreDuringBuilds|Enabled|Nullable|allow_\w*fail\w*|check-coverage|checkCoverage)$/.test(
    key,
  );
}

interface Element {
  key: string;
  text: string;
  source: Source;
  line: number;
}

function judgeLists(survey: Survey): Finding[] {
  const sides = survey.pairs.filter(
    ({ role, before, after }) =>
      (role === "config" || role === "test" || role === "script") &&
      after !== null &&
      (role !== "test" || (before ?? after).path.endsWith("conftest.py")),
  );
  const findings: Finding[] = [];
  for (const [form, isOut] of [
    [LEAVING_OUT, true],
    [TAKING_IN, false],
  ] as const) {
    const before = sides.flatMap(({ before }) => elementsOf(before, form));
    const after = sides.flatMap(({ after }) => elementsOf(after, form));
    const from = isOut ? after : before;
    const spare = new Map<string, number>();
    for (const { key, text } of isOut ? before : after)
      spare.set(`${key} ${text}`, (spare.get(`${key} ${text}`) ?? 0) + 1);
    const known = new Set((isOut ? before : after).map(({ text }) => text));
    const keys = new Set((isOut ? before : after).map(({ key }) => key));
    for (const { key, text, source, line } of from) {
      const left = spare.get(`${key} ${text}`) ?? 0;
      if (left > 0) spare.set(`${key} ${text}`, left - 1);
      else if (
        !known.has(text) &&
        !NO_SOURCES.test(text) &&
        (isOut ? text.length > 1 : keys.has(key) && isLost(text, after, key))
      ) {
        const path = isOut ? source.path : survey.pairs.find(({ before }) => before === source)!.file.path;
        findings.push(findingOf({ rule: "check_narrowed", path, line, evidence: `${key}: ${text}` }));
      }
    }
  }
  return findings;
}

/** Whether no wider pattern took the element's place. */
function isLost(text: string, after: readonly Element[], key: string): boolean {
  const head = (pattern: string): string => pattern.replace(/^["'./]+/, "").split(/[*{("']/)[0]!;
  return !after.some(
    (other) =>
      other.key === key &&
      !other.text.includes("!") &&
      head(text).startsWith(head(other.text)) &&
      other.text.length <= text.length + 3,
  );
}

function elementsOf(source: Source | null, form: RegExp): Element[] {
  if (source === null) return [];
  const isJson = source.language === "json" || source.language === "javascript";
  return [...source.code.matchAll(form)].slice(0, 500).flatMap((match) => {
    const at = match.index + match[0].length;
    const line = lineAt(source, match.index);
    const element = (text: string): Element => ({ key: match[1]!, text: text.replace(/["'\s]/g, ""), source, line });
    if (source.code[at] === "[" || source.code[at] === "(") {
      const close = source.brackets.get(at) ?? source.code.indexOf("]", at);
      if (close < 0 || close > at + 20_000) return [];
      return splitArguments({ bare: source.bare, brackets: source.brackets }, at + 1, close)
        .map((part) => element(source.code.slice(part.from, part.to)))
        .filter(({ text }) => text !== "");
    }
    const text = source.code.slice(at, at + 2000);
    const own = text.split("\n")[0]!.trim();
    if (own !== "" && (isJson ? !/^["']/.test(own) : false)) return [];
    if (own !== "") return own.replace(/,$/, "").split(/,\s*/).map(element);
    return (/^\s*\n((?:[ \t]+(?:-[ \t]*)?[^\n:=[\]]+\n?){1,100})/.exec(text)?.[1] ?? "")
      .split("\n")
      .map((item) => element(item.replace(/^[\s-]+/, "")))
      .filter(({ text }) => text !== "");
  });
}

/** Files that say what checkers pass over: `.eslintignore` and its like. */
function judgeIgnoreFiles(survey: Survey): Finding[] {
  return survey.pairs
    .filter(({ file }) =>
      /(?:^|\/)\.(?:eslint|prettier|stylelint|test|coverage|biome|pylint|mypy|flake8|sonar|semgrep|gitleaks|trivy|nyc|lint)\w*ignore$/.test(
        file.path,
      ),
    )
    .flatMap(({ after, before }) => linesOnlyIn(after, before))
    .filter(({ code }) => !NO_SOURCES.test(code) && !/^\s*[#!]/.test(code))
    .map(({ source, line, code }) => findingOf({ rule: "check_narrowed", path: source.path, line, evidence: code }));
}
