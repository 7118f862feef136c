import { evened } from "./find-tests.ts";
import { type Finding, findingOf, type Rule } from "./integrity-change.ts";
import { isLiteral } from "./judge-expression.ts";
import { isProgram } from "./languages.ts";
import { codeBefore, marksAdded } from "./marks.ts";
import { type ChangedLine, linesOnlyIn, type Source, type Survey } from "./survey.ts";

/** Ways to find out that a test is running. */
const PROBE = new RegExp(
  [
    "process\\.env\\??(?:\\.|\\[[\"'])(?:VITEST\\w*|JEST\\w*|MOCHA\\w*|NODE_TEST\\w*|AVA\\w*|PLAYWRIGHT\\w*|CYPRESS\\w*|TEST|TESTING|IS_TEST|UNDER_TEST|TEST_ENV|CI|GITHUB_ACTIONS|npm_lifecycle_event)\\b",
    "(?:NODE_ENV|APP_ENV|RAILS_ENV|RACK_ENV|MIX_ENV|ENV|ENVIRONMENT|PHP_ENV|FLASK_ENV|DJANGO_ENV|ASPNETCORE_ENVIRONMENT)\\b[\"'\\])]{0,3}\\s?(?:[=!]==?|\\.eql\\?|\\.equals\\(|in|is)\\s?\\(?[\"':]?(?:test|ci)\\b|[\"'](?:test|testing)[\"']\\s?[=!]==?\\s?\\S{0,40}(?:NODE_ENV|APP_ENV|RAILS_ENV)",
    "import\\.meta\\.(?:vitest|jest|env\\.(?:VITEST|TEST|MODE\\s?===?\\s?[\"']test))",
    "\\btypeof\\s(?:jest|vi|describe|it|expect|beforeEach|afterEach|test)\\b|\\bglobalThis\\.(?:jest|vi|describe|expect|it|__vitest\\w*)\\b|\\b(?:jest|vitest)_worker|__vitest_worker__|JEST_WORKER_ID|VITEST_WORKER_ID|process\\.argv\\b.{0,60}(?:jest|vitest|mocha|test)|require\\.main\\b.{0,60}(?:jest|mocha)",
    "PYTEST_CURRENT_TEST|PYTEST_VERSION|PYTEST_XDIST|[\"'](?:pytest|_pytest|unittest|nose)[\"']\\s(?:not )?in\\s|sys\\.modules\\.get\\(\\s?[\"'](?:pytest|unittest)|sys\\.argv\\b.{0,40}(?:pytest|test)|\\bos\\.(?:environ\\.get|getenv)\\(\\s?[\"'](?:CI|TEST\\w*|TESTING|GITHUB_ACTIONS|TOX_ENV\\w*)[\"']|os\\.environ\\[[\"'](?:CI|TESTING)|[\"'](?:CI|TESTING|TEST_MODE)[\"']\\sin\\sos\\.environ",
    '\\btesting\\.Testing\\(\\)|flag\\.Lookup\\(\\s?"test\\.|os\\.Args\\[0\\].{0,40}test|os\\.(?:Getenv|LookupEnv)\\(\\s?"(?:CI|TEST\\w*|GO_TEST\\w*|TESTING|GITHUB_ACTIONS)"',
    '\\bcfg!\\(\\s?test|env::var(?:_os)?\\(\\s?"(?:CI|RUST_TEST\\w*|TEST\\w*|NEXTEST\\w*|CARGO_TARGET_TMPDIR)"',
    "Mix\\.env\\b(?:\\(\\))?\\s?[=!]=\\s?:test|Rails\\.env\\.test\\?|defined\\?\\(\\s?(?:RSpec|Minitest)|ENV(?:\\[|\\.fetch\\()[\"'](?:CI|RSPEC\\w*|TEST\\w*)|Code\\.ensure_loaded\\?\\(\\s?ExUnit|Process\\.whereis\\(\\s?ExUnit",
    "runningUnitTests\\(\\)|PHPUNIT_\\w+|defined\\(\\s?[\"']PHPUNIT|class_exists\\(\\s?[\"'][\\w\\\\]*(?:PHPUnit|TestCase)|getenv\\(\\s?[\"'](?:CI|TEST\\w*|APP_ENV|BATS\\w*)[\"']",
    'NSClassFromString\\(\\s?"XCTest|XCTestConfigurationFilePath|XCTestCase\\b|Class\\.forName\\(\\s?"(?:org\\.junit|org\\.testng|junit)|(?:getStackTrace|StackTrace|stackTrace|Environment\\.StackTrace|inspect\\.stack|traceback\\.\\w+|caller(?:_locations)?)\\b.{0,100}(?:junit|[tT]est|xunit|nunit|spec|pytest)|(?:GetEnvironmentVariable|System\\.getenv|System\\.getProperty)\\(\\s?"(?:CI|TEST\\w*|surefire\\w*|JUNIT\\w*|XUNIT\\w*|org\\.gradle\\.test\\.worker)',
    "\\$\\{?(?:BATS_\\w+|CI|PYTEST_\\w+|GITHUB_ACTIONS|TEST_MODE|RUNNING_TESTS)\\b|\\bAppDomain\\b.{0,120}(?:xunit|nunit|testhost)|FLUTTER_TEST|isInTest|isRunningTests?\\b|is_test(?:ing)?_env|running_tests?\\(\\)",
  ].join("|"),
);

const EXIT =
  /\b(?:process\.(?:exit|reallyExit)\(\s?0?\s?\)|process\.exitCode\s?=\s?0|(?:sys|os)\.(?:exit|_exit)\(\s?(?:0|None)?\s?\)|os\.Exit\(0\)|System\.exit\(0\)|(?:std::)?process::exit\(0\)|Environment\.Exit\(0\)|System\.halt\(0\)|exitProcess\(0\)|Deno\.exit\(0?\)|Bun\.exit\(0\)|raise SystemExit(?:\(0?\))?|os\.kill\(os\.getpid)|(?<![\w.>])(?:exit!?|_exit|quit)\s?\(?0\)?\s?;?\s*$|\bexit!\s?(?:0|true|\()|Kernel\.exit/;

const EQUALITY =
  /\bdef (?:__eq__|__ne__|==|eql\?|===|equal\?|__contains__|__lt__|__hash__)|\bboolean equals\(|\boverride fun equals\(|\bbool Equals\(|(?<!\.)\boperator\s?==\s?\(|\bfn (?:eq|ne)\(|\bstatic func == ?\(|\bSymbol\.toPrimitive\b|\basymmetricMatch\b|\$\$typeof\b.{0,40}asymmetric|jest\.asymmetricMatcher|\bvalueOf\s?\(|\bpublic function __equals|\bfunc \([^()\n]{1,40}\) Equal\(/;

/** Files of tests and recordings that product code has no business with. */
const READS_TESTS =
  /(?:readFile\w*|open|read_text|load\w*|require|import\b.{0,60}from|import|File\.(?:read|ReadAll\w*)|ioutil\.ReadFile|os\.ReadFile|include_str!|fs::read\w*|Path)\s?\(?.{0,60}["'`][^"'`\n]{0,80}(?:__snapshots__|(?:^|\/|\.\.?\/|["'])tests?\/|__tests__|\.snap\b|golden\b|expected[\w.-]*\.\w+|fixtures\/|testdata\/|\.test\b|\.spec\b|_test\.)/;

const ANSWERS =
  /(?:\b(?:const|let|var|val|static|final|private|let mut)\s|^\s{0,8})(?:[\w<>,[\]]{1,40}\s)?_?(?:\w{0,30}_?expected\w{0,20}|canned\w{0,20}|hard_?coded\w{0,20}|(?:known|test|memo|lookup|magic|cached)_?(?:results?|outputs?|answers?)|precomputed\w{0,20}|answers)\b(?!\s?\]\s?=)[^=\n(]{0,60}=\s?(?:new \w+[<(].{0,40}|\w{1,20}[!]?\(?)?[[{(]/i;

/** What product code should not do: look out for tests, end with success, be equal to everything, know the answers. */
export function judgeProduct(survey: Survey): Finding[] {
  const isCode = ({ role, language, path }: Source): boolean =>
    role === "product" && isProgram(language) && !/(?:^|\/)(?:config|configs)\//.test(path);
  const probes = marksAdded(survey, { on: isCode, keys: ({ code }) => (PROBE.test(code) ? ["probe"] : []) });
  const exits = marksAdded(survey, {
    on: (source) => isProgram(source.language) && (isCode(source) || source.role === "test" || source.collected),
    keys: (line) => (isEarlyExit(line) ? ["exit"] : []),
  });
  const equal = marksAdded(survey, {
    on: (source) => isCode(source) || source.role === "test",
    keys: (line) => (isAlwaysEqual(line) ? ["equality"] : []),
  });
  const reads = marksAdded(survey, {
    on: isCode,
    keys: ({ code }) => (READS_TESTS.test(code) || ANSWERS.test(code) ? ["reads"] : []),
  });
  const found = (rule: Rule, marks: typeof probes): Finding[] =>
    marks.map(({ line: { source, line, code } }) => findingOf({ rule, path: source.path, line, evidence: code }));
  return [
    ...found("environment_probed", probes),
    ...found("exit_planted", exits),
    ...found("equality_patched", equal),
    ...found("answer_hard_coded", reads),
    ...judgeAnswers(survey, isCode),
  ];
}

/** In tests any; in the product only where it runs as the file is loaded, or ends without a word. */
function isEarlyExit(line: ChangedLine): boolean {
  const { code, bare, source } = line;
  if (!EXIT.test(bare) || !/[a-z]/.test(bare) || source.language === "shell") return false;
  if (source.collected || /conftest|setup|helper|bootstrap|global/i.test(source.path)) return true;
  if (source.role === "test") return false;
  if (/os\._exit|exit!|reallyExit|os\.kill/.test(code)) return true;
  const isProgramFile =
    /(?:^|\/)(?:bin|cli|cmd|commands?)\/|(?:^|\/)(?:main|cli|__main__|index|server|Program|Main|app)\.\w+$/.test(
      source.path,
    );
  return !isProgramFile && (/^\S/.test(code) || /atexit|on\(["']exit/.test(codeBefore(line, 2)));
}

function isAlwaysEqual({ code, source, line }: ChangedLine): boolean {
  if (!EQUALITY.test(code)) return false;
  const from = source.starts[line - 1]!;
  const body = source.code.slice(from, Math.min(source.starts[line + 3] ?? source.code.length, from + 600));
  return /\breturn (?:true|True)\b|=>\s?(?:true|\(?\{? ?return true)|[{\n=]\s*true\s*[\n}]|,? do: true|\)\s?= true/.test(
    body.slice(code.search(EQUALITY)),
  );
}

/** Conditions on written-down inputs that give written-down results, and bodies that are nothing but a result. */
function judgeAnswers(survey: Survey, isCode: (source: Source) => boolean): Finding[] {
  const findings: Finding[] = [];
  for (const { before, after } of survey.pairs) {
    if (after === null || !isCode(after)) continue;
    const added = linesOnlyIn(after, before);
    const cases = added.filter((line) => answers(line));
    for (const line of cases)
      if (cases.length > 1 || isTelling(line))
        findings.push(findingOf({ rule: "answer_hard_coded", path: after.path, line: line.line, evidence: line.code }));
    if (before !== null) findings.push(...gutted(linesOnlyIn(before, after), added));
  }
  return findings;
}

const ANSWER =
  /\b(?:if|elif|elsif|else if|case|when)\b(.{1,200}?)(?:[=]==?|\beq\b|\.equals\(|\bis\b|\bin\b|->|=>|:|then\b|\{)\s?(.{0,200})$/;

/** Whether the line, with the one after it, returns a written-down number, list or object on a written-down input. */
function answers({ code, source, line }: ChangedLine): boolean {
  const text =
    `${code} ${source.code.slice(source.starts[line] ?? source.code.length, Math.min(source.starts[line + 1] ?? source.code.length, (source.starts[line] ?? 0) + 200))}`.replace(
      /\s+/g,
      " ",
    );
  if (!ANSWER.test(code)) return false;
  const compared =
    /(?:(?<!!)===?|\.equals\(|\bcase\b|\bwhen\b|\bin\b|JSON\.stringify\([^)]*\))\s?\(?(-?\d[\d._]*|["'`][^"'`]{1,120}["'`]|[[{(][^\])}]{1,120}[\])}])/.exec(
      text,
    );
  const returned =
    /(?:\breturn\b|->|=>|\bthen\b|:|\{)\s{0,3}(-?\d[\d._]*|[[{][^\n]{1,120}[\]}]|["'][^"'\n]{1,120}["'])\s?[;,})]?\s?/.exec(
      text.slice((compared?.index ?? 0) + (compared?.[0].length ?? 0)),
    );
  // What is given for nothing at all is no answer to a question.
  if (/(?:\blength|\bsize|\blen\([^()]*\))\s?===?\s?0\b/.test(code)) return false;
  if (compared === null || returned === null || !/\breturn\b|->|=>/.test(text)) return false;
  const input = evened(compared[1]!);
  const output = evened(returned[1]!);
  if (!isLiteral(output) || /^-?[012]$/.test(output) || /^\W{0,3}$/.test(output)) return false;
  // A word for a word or a list of facts for a word is a name for something, as of a type or a status, and so is a small
  // number for a word. A number for a number is an answer.
  if (input.startsWith('"')) return /^-?\d/.test(output) && Math.abs(Number(output)) > 9;
  return !(output.startsWith('"') && /^\d+$/.test(input)) && /\d/.test(output);
}

/** One such condition alone may be a base case; with a number or text that no base case has it is none. */
function isTelling({ code, source, line }: ChangedLine): boolean {
  const text = `${code} ${source.code.slice(source.starts[line] ?? source.code.length, (source.starts[line] ?? 0) + 100).split("\n")[0]}`;
  const numbers = (text.match(/\d+(?:\.\d+)?/g) ?? []).map(Number).filter((number) => number > 2);
  return numbers.length >= 2 || (/["'`[{]/.test(text) && numbers.length >= 1);
}

/** What worked something out was replaced by nothing but a result. */
function gutted(removed: readonly ChangedLine[], added: readonly ChangedLine[]): Finding[] {
  const lost = removed.filter(({ code }) => /[a-zA-Z]/.test(code));
  const arrived = added.filter(({ code }) => /\w/.test(code));
  const result = arrived.find(
    ({ code }) =>
      /^\s*(?:return\s)?(?:-?\d[\d._]*|["'`][^"'`]*["'`]|\[[^\]]*\d[^\]]*\]|\{[^}]*\d[^}]*\})\s?;?\s*$/.test(code) &&
      /\d|["'`]\w/.test(code),
  );
  const isWorkedOut = lost.some(({ bare }) => /[-+*/%]|\bfor\b|\bwhile\b|\.\w+\(|\w\(/.test(bare));
  if (result === undefined || arrived.length > 2 || !isWorkedOut || !/return|^\s*[\d"'[{-]/.test(result.code))
    return [];
  return [findingOf({ rule: "answer_hard_coded", path: result.source.path, line: result.line, evidence: result.code })];
}
