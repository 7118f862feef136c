import { type Finding, findingOf } from "./integrity-change.ts";
import { marksAdded } from "./marks.ts";
import { type ChangedLine, linesOnlyIn, type Pair, type Source, type Survey } from "./survey.ts";

/** Commands that check, by what they check. */
const TOOLS: readonly (readonly [string, RegExp])[] = [
  [
    "test",
    /\b(?:jest|vitest|mocha|ava|tap|c8|nyc|karma|cypress|playwright|pytest|py\.test|unittest|nose2|rspec|minitest|phpunit|pest|bats|nextest|ctest|gotestsum|ginkgo|behat|codecept|busted|exunit|testthat|stryker|infection|mutmut)\b|\b(?:go|cargo|mix|dotnet|swift|npm|pnpm|yarn|bun|deno|mvn|mvnw|gradle|gradlew|make|rake|rails|sbt|dart|flutter|lein|zig|bazel|nx|turbo|composer|just|task|node|xcodebuild|tox|nox)\b[^&|;\n]{0,60}\b(?:test|tests|t|verify|check|spec|e2e|coverage)\b|\b(?:run|do)[-_]tests?\b|\btox\b|\bnox\b/,
  ],
  [
    "lint",
    /\b(?:eslint|oxlint|biome (?:check|lint|ci)|tslint|stylelint|ruff|flake8|pylint|bandit|golangci-lint|staticcheck|clippy|rubocop|phpcs|php-cs-fixer|credo|swiftlint|ktlint|detekt|checkstyle|spotbugs|shellcheck|hadolint|markdownlint|knip|depcruise|dependency-cruiser|semgrep|govulncheck|publint)\b|\b(?:go|cargo) (?:vet|deny|audit)\b|\b(?:npm|pnpm|yarn|bun)\b[^&|;\n]{0,20}\b(?:lint|audit)\b/,
  ],
  [
    "types",
    /\b(?:tsc|vue-tsc|mypy|pyright|basedpyright|flow check|phpstan|psalm|sorbet|srb tc|dialyzer|dialyxir)\b|\b(?:npm|pnpm|yarn|bun)\b[^&|;\n]{0,20}\b(?:types?|typecheck|type-check)\b|\bcargo check\b/,
  ],
  [
    "format",
    /\b(?:prettier\b[^&|;\n]{0,80}(?:--check|-c\b|-l\b)|black\b[^&|;\n]{0,80}--check|gofmt|cargo fmt\b[^&|;\n]{0,40}--check|mix format\b[^&|;\n]{0,40}--check)/,
  ],
  ["size", /\b(?:size-limit|bundlesize|bundlewatch|lhci|lighthouse)\b/],
];

/** What installs or names a tool does not run it. */
const NO_RUN =
  /\b(?:npm (?:i|install|ci)|pip3? install|apt(?:-get)? install|brew install|gem install|yarn add|pnpm add|uses:|go install|cargo install|dotnet add|corepack|cache|name:|echo)\b/;

/** Files whose lines are commands, or hold them as values. */
function holdsCommands({ role, path }: Source): boolean {
  return (
    role === "script" ||
    /(?:package|composer|deno|project|turbo|nx)\.jsonc?$|akefile|justfile|Taskfile|tox\.ini|noxfile|mix\.exs|\.toml$|Rakefile|\.pre-commit|lefthook|\.husky\//.test(
      path,
    ) ||
    role === "hook"
  );
}

interface Step {
  kind: string;
  text: string;
  line: ChangedLine;
}

/** Commands that checked the code and are no longer run, by anything in the change. */
export function judgeSteps(survey: Survey): Finding[] {
  const before = survey.pairs.flatMap((pair) => stepsOf(pair.before, pair.after));
  const after = survey.pairs.flatMap((pair) => stepsOf(pair.after, pair.before));
  const findings: Finding[] = [];
  for (const step of before) {
    const same = after.findIndex(({ text }) => text === step.text);
    const next = same >= 0 ? same : after.findIndex(({ kind }) => kind === step.kind);
    if (next >= 0) {
      after.splice(next, 1);
      continue;
    }
    const pair = survey.pairs.find(({ before }) => before === step.line.source)!;
    if (pair.after === null && pair.file.kind !== "deleted") continue;
    findings.push(
      findingOf({ rule: "check_step_removed", path: pair.file.path, line: step.line.line, evidence: step.line.code }),
    );
  }
  return [...findings, ...namedScripts(survey)];
}

/** A script that a check command names lost lines, and nothing that checks came in their place. */
function namedScripts(survey: Survey): Finding[] {
  return survey.pairs.flatMap((pair: Pair): Finding[] => {
    const { before, after } = pair;
    if (before === null || !survey.named.has(before.path) || before.role !== "script") return [];
    if (after === null || after.path !== before.path) {
      return [
        findingOf({ rule: "check_step_removed", path: pair.file.path, line: null, evidence: `${before.path} is gone` }),
      ];
    }
    const lost = linesOnlyIn(before, after).filter(
      ({ bare }) =>
        /[A-Za-z]/.test(bare) && !/^\s*(?:echo|set|import|from|const|export|fi|done|else|then|require|#)\b/.test(bare),
    );
    const arrived = linesOnlyIn(after, before).filter(({ bare }) => /[A-Za-z]/.test(bare));
    const text = [
      ...arrived.map(({ code }) => code.replace(/\s+/g, " ")),
      ...survey.pairs
        .filter((other) => other !== pair && other.role === "script")
        .flatMap(({ after, before }) => linesOnlyIn(after, before).map(({ code }) => code)),
    ].join("\n");
    const gone = lost.filter(
      ({ code }) =>
        !text.includes(code.replace(/\s+/g, " ").trim()) &&
        code.split(/\W+/).filter((word) => word.length > 2 && text.includes(word)).length <
          code.split(/\W+/).filter((word) => word.length > 2).length * 0.6,
    );
    return gone
      .slice(0, 3)
      .map(({ line, code }) => findingOf({ rule: "check_step_removed", path: before.path, line, evidence: code }));
  });
}

function stepsOf(source: Source | null, other: Source | null): Step[] {
  if (source === null || !holdsCommands(source)) return [];
  return linesOnlyIn(source, other)
    .slice(0, 5000)
    .flatMap((line) => stepsIn(line));
}

/** The commands of a line that check. */
export function stepsIn(line: ChangedLine): Step[] {
  const text = line.code.slice(0, 1000);
  // The versions of tools among the dependencies run nothing.
  if (
    /^\s*"[@\w/.-]+":\s*"(?:[~^>=<*]|v?\d|npm:|workspace:|latest)/.test(text) ||
    /^\s*[\w-]+\s*=\s*(?:["'{][\s"'^~>=<\d]|\{ ?version)/.test(text)
  )
    return [];
  if (line.source.language === "json" && /[{[]\s*$/.test(text)) return [];
  return text
    .replace(/^\s*"[\w:.-]+":\s*"|",?\s*$/g, "")
    .split(/&&|\|\||;|\|/)
    .filter((part) => !NO_RUN.test(part))
    .flatMap((part) => {
      const tool = TOOLS.find(([, pattern]) => pattern.test(part));
      return tool === undefined ? [] : [{ kind: tool[0], text: part.replace(/^[\s@-]*(?:run:)?\s*/, "").trim(), line }];
    });
}

const SOFTENING = new RegExp(
  [
    "\\|\\|\\s?(?:true\\b|:(?=[\\s\"';)]|$)|exit 0|echo\\b|/bin/true|printf\\b|exit\\s?\\$\\?\\s?0)",
    ";\\s?(?:true|exit 0|:)\\s{0,4}(?:[\"';,)]|$)",
    "&&\\s?exit 0|\\bset \\+e\\b|\\bset \\+o (?:errexit|pipefail)",
    "continue-on-error:\\s?(?:true|\\$)|allow_failure:\\s?true|allow_failures|failOnError[=:>\\s]{1,3}false|continueOnError:\\s?true|soft_fail:\\s?true|ignore_failure:\\s?true|ignore_outcome\\s?=\\s?true",
    "--?pass(?:-?[wW]ith-?[nN]o-?[tT]ests?)|passWithNoTests[\"']?\\s?:\\s?true|--exit-zero|--no-error\\b|--no-fail\\b|--allow-empty\\b|--suppress-no-test-exit-code|--issues-exit-code[= ]0|--fail-under[= ]0|--forceExit|--no-coverage\\b",
    "(?:testFailureIgnore|test\\.failure\\.ignore|ignoreFailures|ignoreFailure|skipTests|maven\\.test\\.skip|skipITs|skip\\.tests|failIfNoTests\\s?=\\s?false)(?:[>=\\s:]{0,4}(?:true|$))?|-x test\\b|-DskipTests",
    "\\bif:\\s?(?:false|\\$\\{\\{ false \\}\\}|always\\(\\) == false)|\\bwhen:\\s?(?:never|manual)\\b|--no-verify\\b|\\bHUSKY=0|fail_ci_if_error:\\s?false|dangerouslyIgnoreUnhandledErrors[\"']?\\s?:\\s?true|--collect-only\\b|--dry-run\\b|--listTests\\b|--no-run\\b",
    "\\btrap\\b.{0,40}\\bexit 0|\\bexit 0\\s{0,4}[\"']?,?\\s{0,4}$|\\.IGNORE\\b|^\\t-|check=False|\\breturn 0\\s*$|PYTHONDONTFAIL|sys\\.exit\\(0\\)|process\\.exit(?:Code\\s?=\\s?|\\()0|catchError|returnStatus:\\s?true",
  ].join("|"),
);

/** What keeps a script honest, and is missed when it goes. */
const HARDENING =
  /\bset -\w{0,4}e\w{0,4}\b|\bset -o (?:errexit|pipefail)|\bpipefail\b|^\s*exit (?:1|\$)|--max-warnings[= ]0|--strict\b|-D warnings|-Werror\b|--error-on-warnings|--frozen-lockfile|--check\b|--race\b|\s-race\b|--fail-under|--cov-fail-under|--coverage\b|TreatWarningsAsErrors>true|deny\(warnings\)|--warnings-as-errors|--fail-on-\w+|--ci\b/;

/** Scripts whose outcome is a check's. */
const CHECKS =
  /test|check|lint|verify|ci\b|coverage|valid|workflow|Jenkins|gitlab|circle|akefile|justfile|package\.json|pom\.xml|gradle|tox|quality|build|\.pre-commit|husky|composer|csproj|mix\.exs|nox|Rakefile|Taskfile|config/i;

/** Checks that may fail and still be taken for green, and what kept them strict and is gone. */
export function judgeSoftened(survey: Survey): Finding[] {
  const on = (source: Source): boolean =>
    (source.role === "script" || source.role === "config" || source.role === "hook") &&
    (CHECKS.test(source.path) || survey.named.has(source.path));
  const added = marksAdded(survey, { on, keys: (line) => (isSoftened(line) ? ["softened"] : []) });
  const mirrored: Survey = {
    ...survey,
    pairs: survey.pairs
      .filter(({ after }) => after !== null)
      .map((pair) => ({ ...pair, before: pair.after, after: pair.before })),
  };
  const lost = marksAdded(mirrored, {
    on,
    keys: ({ code }) => {
      const found = HARDENING.exec(code);
      return found === null ? [] : [found[0].trim()];
    },
  });
  return [...added, ...lost].map(({ line: { source, line, code } }) =>
    findingOf({ rule: "check_softened", path: source.path, line, evidence: code }),
  );
}

function isSoftened(line: ChangedLine): boolean {
  const { code, source } = line;
  if (/^\s*(?:echo|printf)\b/.test(code)) return false;
  const tested =
    /\|\s?(?:tee|cat|head|tail|grep|sed)\b/.test(code) && stepsIn(line).length > 0 && !source.code.includes("pipefail");
  // A script that ends with success on its last line says what is the case; one that does so before hides what follows.
  if (/\b(?:exit|return) 0\s*$/.test(code) && !/[|;&]/.test(code))
    return (
      !source.code
        .slice(0, source.starts[line.line - 1])
        .trimEnd()
        .endsWith("then") && /\b(?:exit) 0/.test(code)
    );
  return tested || SOFTENING.test(code);
}
