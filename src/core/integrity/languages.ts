/** What a file is written in, by its name, and how comments and strings are told there. */

export type Language =
  | "javascript"
  | "python"
  | "go"
  | "rust"
  | "java"
  | "kotlin"
  | "scala"
  | "groovy"
  | "csharp"
  | "swift"
  | "dart"
  | "cpp"
  | "php"
  | "ruby"
  | "elixir"
  | "shell"
  | "lua"
  | "r"
  | "clojure"
  | "yaml"
  | "ini"
  | "json"
  | "xml"
  | "make"
  | "text";

export interface Syntax {
  /** What begins a comment to the end of the line. */
  line: readonly string[];
  block: readonly (readonly [string, string])[];
  /** Quotes of strings that end on their line. */
  quotes: string;
  /** Quotes of strings that may hold line ends. */
  long: readonly string[];
  /** Slashes may delimit regular expressions. */
  regex: boolean;
}

const BY_EXTENSION: Readonly<Record<string, Language>> = {
  ...all("javascript", "js jsx mjs cjs ts tsx mts cts vue svelte astro"),
  ...all("python", "py pyi"),
  ...all("go", "go"),
  ...all("rust", "rs"),
  ...all("java", "java"),
  ...all("kotlin", "kt kts"),
  ...all("scala", "scala sbt"),
  ...all("groovy", "groovy gradle"),
  ...all("csharp", "cs fs vb"),
  ...all("swift", "swift"),
  ...all("dart", "dart"),
  ...all("cpp", "c cc cpp cxx h hpp hh m mm zig"),
  ...all("php", "php"),
  ...all("ruby", "rb rake gemspec"),
  ...all("elixir", "ex exs"),
  ...all("shell", "sh bash zsh bats ksh"),
  ...all("lua", "lua"),
  ...all("r", "r"),
  ...all("clojure", "clj cljs cljc edn"),
  ...all("yaml", "yml yaml feature"),
  ...all("ini", "toml ini cfg conf properties neon"),
  ...all("json", "json jsonc json5"),
  ...all("xml", "xml csproj props targets fsproj runsettings html dist"),
  ...all("make", "mk mak"),
};

const BY_NAME: Readonly<Record<string, Language>> = {
  makefile: "make",
  gnumakefile: "make",
  justfile: "make",
  dockerfile: "make",
  jenkinsfile: "groovy",
  rakefile: "ruby",
  gemfile: "ruby",
  ".coveragerc": "ini",
  ".flake8": "ini",
  ".pylintrc": "ini",
  ".eslintrc": "json",
  ".nycrc": "json",
  ".c8rc": "json",
  ".simplecov": "ruby",
  ".rspec": "ini",
  ".bazelrc": "ini",
  "build.bazel": "python",
  "cmakelists.txt": "make",
};

const SLASHES: Syntax = { line: ["//"], block: [["/*", "*/"]], quotes: `"'`, long: [], regex: false };
const TRIPLES: Syntax = { ...SLASHES, long: ['"""'] };
const HASHES: Syntax = { line: ["#"], block: [], quotes: `"'`, long: [], regex: false };
const PLAIN: Syntax = { line: [], block: [], quotes: "", long: [], regex: false };

const SYNTAXES: Readonly<Record<Language, Syntax>> = {
  javascript: { ...SLASHES, long: ["`"], regex: true },
  python: { ...HASHES, long: ['"""', "'''"] },
  go: { ...SLASHES, long: ["`"] },
  rust: SLASHES,
  java: TRIPLES,
  kotlin: TRIPLES,
  scala: TRIPLES,
  groovy: { ...SLASHES, long: ['"""', "'''"] },
  csharp: TRIPLES,
  swift: TRIPLES,
  dart: { ...SLASHES, long: ['"""', "'''"] },
  cpp: SLASHES,
  php: { ...SLASHES, line: ["//", "#"] },
  ruby: { ...HASHES, block: [["\n=begin", "\n=end"]] },
  elixir: { ...HASHES, long: ['"""'] },
  shell: HASHES,
  lua: { line: ["--"], block: [["--[[", "]]"]], quotes: `"'`, long: [], regex: false },
  r: HASHES,
  clojure: { line: [";"], block: [], quotes: '"', long: [], regex: false },
  yaml: HASHES,
  ini: { ...HASHES, line: ["#", ";"], long: ['"""'] },
  json: { ...SLASHES, quotes: '"' },
  xml: { ...PLAIN, block: [["<!--", "-->"]] },
  make: { ...HASHES, quotes: "" },
  text: PLAIN,
};

export function languageOf(path: string): Language {
  const name = fileName(path).toLowerCase();
  const extension = name.slice(name.lastIndexOf(".") + 1);
  return BY_NAME[name] ?? BY_EXTENSION[extension] ?? "text";
}

export function syntaxOf(language: Language): Syntax {
  return SYNTAXES[language];
}

export function fileName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Whether it is a programming language rather than data, configuration or prose. */
export function isProgram(language: Language): boolean {
  return !["yaml", "ini", "json", "xml", "make", "text"].includes(language);
}

function all(language: Language, extensions: string): Record<string, Language> {
  return Object.fromEntries(extensions.split(" ").map((extension) => [extension, language]));
}
