import { matchesGlob } from "../plan/overlap.ts";
import { type Finding, findingOf } from "./integrity-change.ts";
import { fileName } from "./languages.ts";
import { type Mark, marksAdded } from "./marks.ts";
import { isBuilt } from "./roles.ts";
import { type ChangedLine, linesOnlyIn, type Pair, type Source, type Survey } from "./survey.ts";

/** Files that interpreters run at their start, whoever asked for them or not. */
const STARTUP_FILE =
  /(?:^|\/)(?:sitecustomize|usercustomize)\.py$|\.pth$|(?:^|\/)(?:\.pythonstartup|\.irbrc|\.pryrc|\.bashrc|\.bash_env|\.zshenv|\.envrc|\.Rprofile|\.noderc|\.node_options)$/;

/** Files that run before tests. */
const SETUP_FILE =
  /conftest\.py$|(?:setup|bootstrap|globals?|helper|support|environment|preload|register|test_?utils?|hooks?|plugin)[\w.-]*\.\w+$|(?:^|\/)(?:jest|vitest|mocha|karma|test|spec|rails|playwright|cypress)[._-](?:setup|helper|config|init|env)[\w.-]*$|main_test\.go$/i;

/** Code that changes what tests report, wherever it stands. */
const PATCHING = new RegExp(
  [
    "\\b(?:global|globalThis|window|self)(?:\\.|\\[[\"'])(?:expect|assert|it|test|describe)\\b[\"'\\]]{0,2}\\s?=(?!=)",
    "\\bexpect\\.extend\\(\\s?\\{?\\s?(?:async\\s)?(?:to(?:Be|Equal|StrictEqual|Match|Contain|Throw|HaveBeenCalled\\w*|HaveLength))\\b|^\\s*(?:async\\s)?(?:toBe|toEqual|toStrictEqual|toThrow|toContain|toMatchObject)\\s?(?:\\(|:)",
    "\\bprocess\\.(?:exit|reallyExit|abort)\\s?=(?!=)|\\bprocess\\.exitCode\\s?=\\s?0\\b|\\bprocess\\[[\"']exit|\\bprocess\\.on\\(\\s?[\"'](?:exit|beforeExit)[\"']",
    "\\bassert(?:\\.\\w+)?\\s?=(?!=)\\s?(?:\\(|function|lambda|noop|\\w+\\s?=>|jest|vi)|\\bassert\\.\\w+\\s?=(?!=)|Object\\.defineProperty\\(\\s?(?:assert|expect|global|globalThis)\\b",
    "\\b(?:Function|Object|Array|String|Number|Error)\\.prototype\\.\\w+\\s?=(?!=)|Module\\._load\\s?=|Module\\.prototype\\.require\\s?=|require\\.cache\\[",
    "\\bdef pytest_(?:runtest_makereport|collection_modifyitems|runtest_protocol|pyfunc_call|sessionfinish|report_teststatus|ignore_collect|runtest_call|assertrepr_compare|pycollect_makeitem|deselected|collectstart|itemcollected|terminal_summary|exception_interact)\\b",
    "\\b(?:rep|report|result|outcome|call)\\.(?:outcome|excinfo|passed|failed|wasxfail)\\s?=(?!=)|\\bforce_result\\(|\\bsession\\.exitstatus\\s?=|\\bexitstatus\\s?=\\s?0|outcome\\.force_\\w+",
    "\\b(?:builtins|__builtins__)(?:\\.|\\[[\"'])\\w+[\"'\\]]{0,2}\\s?=(?!=)|\\b(?:unittest\\.)?TestCase\\.\\w+\\s?=(?!=)|\\bsys\\.exit\\s?=(?!=)|\\bos\\._exit\\s?=(?!=)|setattr\\(\\s?(?:builtins|unittest|pytest|TestCase)|sys\\.excepthook\\s?=|sys\\.settrace\\(|sys\\.modules\\[[^\\]\\n]{1,60}\\]\\s?=",
    "\\bExUnit\\.(?:configure|start)\\([^\\n]{0,60}exclude|filter_run_excluding|\\bat_exit\\b|config\\.filter_run\\b|Minitest\\.(?:autorun|run)\\s?=|reporter\\.\\w+\\s?=|def (?:assert_equal|assert)\\b.{0,40}$",
    "\\bModule\\.register\\(|NODE_OPTIONS|PYTEST_ADDOPTS|PYTEST_PLUGINS|RUBYOPT|JAVA_TOOL_OPTIONS|BASH_ENV|PYTHONSTARTUP|LD_PRELOAD|core\\.hooksPath",
  ].join("|"),
);

/** What changes how programs start, or which hooks git runs. */
const AROUND_PROGRAMS =
  /NODE_OPTIONS|PYTEST_ADDOPTS|PYTEST_PLUGINS|RUBYOPT|JAVA_TOOL_OPTIONS|BASH_ENV|PYTHONSTARTUP|LD_PRELOAD|core\.hooksPath/;

/** Hooks of pytest that a test run needs for honest ends, when they only add marks or options. */
const FAKING =
  /passed|outcome|skip|deselect|exitstatus|items\[:\]|items\.clear|items\.remove|return True|force_result|xfail|pass$|= 0/;

/** Hooks, start-up code, caches and built files that the change plants around the checks, and changes to what is protected. */
export function judgePlanted(survey: Survey, protect: readonly string[]): Finding[] {
  const findings: Finding[] = [];
  for (const pair of survey.pairs) {
    const { file } = pair;
    const found = plantedFile(pair);
    if (found !== null) findings.push(findingOf({ ...found, path: file.path, line: null }));
    for (const path of new Set([file.path, ...(file.old_path === null ? [] : [file.old_path])])) {
      if (protect.some((glob) => matchesGlob(glob, path)))
        findings.push(
          findingOf({ rule: "protected_changed", path: file.path, line: null, evidence: `${file.kind}: ${path}` }),
        );
    }
  }
  const patches = marksAdded(survey, {
    on: ({ role, path }) =>
      role !== "prose" && role !== "lock" && role !== "artefact" && role !== "golden" && !path.endsWith(".lock"),
    keys: (line, pair) => (isPatching(line, pair) ? [line.code.trim()] : []),
  });
  return [
    ...findings,
    ...patches.map(({ line: { source, line, code } }: Mark) =>
      findingOf({
        rule: /hooksPath/.test(code) ? "hook_planted" : "startup_planted",
        path: source.path,
        line,
        evidence: code,
      }),
    ),
  ];
}

function plantedFile({
  file,
  role,
  before,
  after,
}: Pair): { rule: "hook_planted" | "startup_planted" | "artefact_committed"; evidence: string } | null {
  const { path, kind } = file;
  if (kind === "deleted")
    return role === "hook" && /\.husky|githooks/.test(path)
      ? { rule: "hook_planted", evidence: `deleted: ${path}` }
      : null;
  if (STARTUP_FILE.test(path)) return { rule: "startup_planted", evidence: path };
  if (role === "hook")
    return kind === "mode" ? null : isHarmlessHook(before, after) ? null : { rule: "hook_planted", evidence: path };
  if (role === "artefact") return { rule: "artefact_committed", evidence: path };
  const isOutput =
    isBuilt(path) &&
    kind === "added" &&
    role === "product" &&
    !/(?:^|\/)src\/(?:.*\/)?(?:build|out|target|coverage|dist)\//.test(path) &&
    /(?:^|\/)(?:dist|out|target|coverage|lib-cov)\/|\.(?:js|mjs|cjs|map|css)$/.test(path);
  return isOutput ? { rule: "artefact_committed", evidence: path } : null;
}

/** A configuration of hooks that only gained, and lost no line. */
function isHarmlessHook(before: Source | null, after: Source | null): boolean {
  if (before === null || after === null || !/lefthook/.test(after.path)) return false;
  return linesOnlyIn(before, after).length === 0;
}

function isPatching({ code, bare, source, comment }: ChangedLine, { before }: Pair): boolean {
  if (code.trim() === "" && comment.trim() !== "") return false;
  if (!PATCHING.test(code)) return false;
  // Data, and what a test only hands on in quotes, run nothing.
  if (source.language === "text" && source.role === "product") return false;
  const isTest = source.collected || source.role === "test" || SETUP_FILE.test(source.path);
  if (source.collected && !SETUP_FILE.test(source.path) && AROUND_PROGRAMS.test(code) && !AROUND_PROGRAMS.test(bare))
    return false;
  if (/\bdef pytest_/.test(code)) return FAKING.test(source.code) || before === null ? FAKING.test(source.code) : false;
  if (/^\s*(?:async\s)?to[A-Z]\w+\s?[(:]/.test(code)) return isTest && /expect\.extend/.test(source.code);
  if (/process\.on\(/.test(bare)) return isTest && /exitCode|process\.exit/.test(source.code);
  if (
    /require\.cache|sys\.modules|at_exit|prototype\.\w+\s?=|NODE_OPTIONS|PYTEST_ADDOPTS|def assert|exclude|JAVA_TOOL|exitstatus/.test(
      code,
    )
  )
    return isTest || source.role === "config" || fileName(source.path).startsWith(".");
  if (source.role === "product" && !isTest && /hooksPath/.test(code)) return false;
  return (
    isTest ||
    source.role !== "product" ||
    /expect|assert|process\.(?:exit|reallyExit)|TestCase|builtins|hooksPath|LD_PRELOAD/.test(code)
  );
}
