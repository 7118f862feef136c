import { fileName, isProgram, languageOf } from "./languages.ts";

/** Names of directories that hold tests and what they need. */
const TEST_DIRECTORY =
  /(?:^|\/)(?:tests?|specs?|__tests__|__specs__|testing|e2e|cypress|integration[-_]?tests?|unit[-_]?tests?|androidTest|commonTest|[\w.]*\.Tests?|[\w.]*Tests)(?:\/|$)/;

/** A name that marks a file as tests in its language, wherever it lies. */
const TEST_NAMES: Partial<Record<ReturnType<typeof languageOf>, RegExp>> = {
  javascript: /[.\-_](?:test|spec|tests|specs|cy|e2e|it)\.[cm]?[jt]sx?$|^(?:test|spec)[.\-_]?[\w-]*\.[cm]?[jt]sx?$/i,
  python: /^test_[\w-]*\.py$|_test\.py$|^tests?\.py$/,
  go: /_test\.go$/,
  java: /(?:Tests?|TestCase|IT|Spec)\.java$|^Test\w*\.java$/,
  kotlin: /(?:Tests?|IT|Specs?)\.kts?$/,
  scala: /(?:Tests?|Specs?|Suite)\.scala$/,
  groovy: /(?:Tests?|Spec)\.groovy$/,
  csharp: /(?:Tests?|Specs?|Facts)\.(?:cs|fs|vb)$/,
  swift: /(?:Tests?|Specs?)\.swift$/,
  dart: /_test\.dart$/,
  cpp: /(?:[_-]|\b)(?:unit)?tests?\.\w+$|^tests?[_-]\w*\.\w+$|Tests?\.\w+$/i,
  php: /(?:Tests?|Cest|Spec)\.php$|\.phpt$/,
  ruby: /_(?:spec|test)\.rb$|^test_\w*\.rb$/,
  elixir: /_test\.exs$/,
  shell: /\.bats$|(?:^|[._-])tests?\.(?:sh|bash)$|^tests?[._-]\w*\.(?:sh|bash)$/,
  lua: /_spec\.lua$|_test\.lua$|^test_\w*\.lua$/,
  r: /^test[-_.]\w*\.[rR]$/,
  clojure: /_test\.clj[sc]?$/,
  yaml: /\.feature$/,
};

/** Languages whose runners collect by directory as well, so that any program in a directory of tests may be run. */
const BY_DIRECTORY = new Set([
  "javascript",
  "rust",
  "java",
  "kotlin",
  "scala",
  "csharp",
  "swift",
  "cpp",
  "php",
  "shell",
]);

/** Supporting files that lie among the tests and are never collected themselves. */
const SUPPORT =
  /(?:^|\/)(?:conftest\.py|__init__\.py|(?:test|spec|rails)_helper\.(?:rb|exs)|setup[\w.-]*\.[cm]?[jt]s|(?:jest|vitest|test)[.-]?setup[\w.-]*)$/i;

/**
 * Whether runners collect the file as tests. `declares` says that the text declares tests, which decides where a directory
 * alone would not.
 */
export function isCollected(path: string, declares: boolean): boolean {
  const language = languageOf(path);
  if (!isProgram(language) && !path.endsWith(".feature")) return false;
  if (/(?:^|\/)(?:node_modules|vendor)\//.test(path) || SUPPORT.test(path)) return false;
  if (TEST_NAMES[language]?.test(fileName(path))) return true;
  if (language === "rust") return declares;
  return declares && BY_DIRECTORY.has(language) && isAmongTests(path) && !/(?:^|\/)[_.]/.test(path);
}

/** Whether the file belongs to the tests: collected by its name, or in a directory of tests. */
export function isAmongTests(path: string): boolean {
  return (
    TEST_NAMES[languageOf(path)]?.test(fileName(path)) === true ||
    SUPPORT.test(path) ||
    TEST_DIRECTORY.test(path.slice(0, Math.max(0, path.lastIndexOf("/"))))
  );
}

/** Whether a name says that it is tests, by a convention of its language that does not need the directory. */
export function hasTestName(path: string): boolean {
  return TEST_NAMES[languageOf(path)]?.test(fileName(path)) === true;
}

/** What a file of tests is about, by its name: `price` of `test_price.py`, `PriceTest.java` and `price.test.ts`. */
export function unitOf(path: string): string {
  return fileName(path)
    .replace(/\.\w+$/, "")
    .replace(/[._-](?:test|spec|tests|specs|cy|e2e|it|unit|int)$/i, "")
    .replace(/^test[._-]/i, "")
    .replace(/(?:Tests?|TestCase|Specs?|IT|Suite)$/, "")
    .replace(/[^A-Za-z0-9]/g, "")
    .toLowerCase();
}
