import { fileName, isProgram, languageOf } from "./languages.ts";
import { isAmongTests } from "./test-files.ts";

/**
 * What a file is to the checks. `test`: tests and what they need; `golden`: recorded expectations; `config`: settings of
 * checkers and builds; `script`: what runs them, CI included; `hook`: runs by itself on git's doing; `artefact`: made by
 * tools; `lock`: versions pinned by a tool; `prose`; `product`: everything else.
 */
export type Role = "test" | "golden" | "config" | "script" | "hook" | "artefact" | "lock" | "prose" | "product";

const ARTEFACT =
  /(?:^|\/)(?:node_modules|__pycache__|\.pytest_cache|\.mypy_cache|\.ruff_cache|\.turbo|\.parcel-cache|\.gradle|\.next|\.nuxt|\.nyc_output|\.jest-cache|\.vite|\.vitest|\.cache|\.tox|\.nox|\.venv|venv|\.eggs|[\w.-]+\.egg-info|\.stryker-tmp|_build|\.dart_tool|\.build|DerivedData|\.hypothesis|\.phpunit\.cache|\.bundle|\.angular|\.bazel|bazel-out|test-results|surefire-reports|failsafe-reports)\/|(?:^|\/)\.nx\/cache\/|\.(?:pyc|pyo|class|o|so|dll|jar|exe|wasm|tsbuildinfo|beam|rlib|whl)$|(?:^|\/)(?:\.eslintcache|\.stylelintcache|\.testmondata|\.coverage|lcov\.info|coverage-final\.json|coverage-summary\.json|\.phpunit\.result\.cache|\.rspec_status|\.last_run\.json|clover\.xml|cobertura\.xml|junit\.xml|TEST-[\w.-]+\.xml)$/;

/** Directories that builds write to, though a person may mean something else by their names. */
const BUILT = /(?:^|\/)(?:dist|build|out|target|lib-cov|coverage)\//;

const HOOK =
  /(?:^|\/)(?:\.husky|\.githooks|\.git-hooks|\.git|git-hooks|\.hooks)\/|(?:^|\/)hooks\/(?:pre|post|commit|prepare)-[a-z-]+$|(?:^|\/)(?:lefthook(?:-local)?|\.lefthook)\.(?:ya?ml|toml|json)$|(?:^|\/)\.(?:gitconfig|git-hooks)$/;

const GOLDEN =
  /(?:^|\/)(?:__(?:image_)?snapshots__|__screenshots__|snapshots?|goldens?|golden[-_ ]?files|testdata|test-data|expected|cassettes|baselines?|approvals?|fixtures\/(?:expected|golden|output)s?)\/|\.(?:snap|golden|approved\.\w+|verified\.\w+|expected|ambr|stdout|stderr|out)$|[._-](?:expected|golden|snapshot|approved|baseline)\.\w+$|(?:^|\/)(?:expected|golden)[._-][\w.-]+$/i;

const LOCK =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|poetry\.lock|uv\.lock|Pipfile\.lock|Cargo\.lock|go\.sum|composer\.lock|Gemfile\.lock|mix\.lock|Package\.resolved|packages\.lock\.json|gradle\.lockfile|pubspec\.lock|pdm\.lock|flake\.lock)$/;

const CI =
  /(?:^|\/)(?:\.github\/(?:workflows|actions)\/|\.circleci\/|\.buildkite\/|\.gitlab\/|\.ci\/|ci\/|\.azure\/|\.tekton\/)|(?:^|\/)(?:\.gitlab-ci|\.travis|\.drone|\.cirrus|appveyor|azure-pipelines|bitbucket-pipelines|cloudbuild|buildspec|\.woodpecker|action)\.ya?ml$|(?:^|\/)Jenkinsfile[\w.-]*$/;

const SCRIPT = /(?:^|\/)(?:scripts?|tools?|tasks|hack|make|devtools|build-tools)\/|\.(?:sh|bash|zsh|ps1|cmd|bat|mk)$/;

const CONFIG_NAME =
  /^(?:package\.json|(?:GNU)?[Mm]akefile|[Jj]ustfile|Taskfile\.ya?ml|Rakefile|noxfile\.py|tox\.ini|setup\.(?:cfg|py)|pytest\.ini|pyproject\.toml|Pipfile|Cargo\.toml|clippy\.toml|rustfmt\.toml|pom\.xml|build\.gradle(?:\.kts)?|gradle\.properties|build\.sbt|build\.xml|phpunit[\w.-]*\.xml(?:\.dist)?|composer\.json|infection\.json5?|mix\.exs|test_helper\.exs|[\w.-]*\.csproj|[\w.-]*\.fsproj|Directory\.Build\.(?:props|targets)|Package\.swift|CMakeLists\.txt|CTestTestfile\.cmake|BUILD(?:\.bazel)?|WORKSPACE|\.bazelrc|deno\.jsonc?|bunfig\.toml|turbo\.json|nx\.json|project\.json|lerna\.json|angular\.json|biome\.jsonc?|tsconfig[\w.-]*\.json|jsconfig\.json|codecov\.ya?ml|\.codecov\.ya?ml|coveralls\.json|sonar-project\.properties|detekt[\w.-]*\.ya?ml|checkstyle[\w.-]*\.xml|pmd[\w.-]*\.xml|spotbugs[\w.-]*\.xml|ruff\.toml|mypy\.ini|pyrightconfig\.json|bandit\.ya?ml|phpstan[\w.-]*\.neon(?:\.dist)?|psalm[\w.-]*\.xml|stryker[\w.-]*\.\w+|lighthouserc[\w.-]*|budget[\w.-]*\.json|knip\.jsonc?|dangerfile[\w.-]*|\.pre-commit-config\.ya?ml|analysis_options\.yaml|dune-project|rebar\.config|gleam\.toml|zig\.zon|[\w.-]+ignore|\.editorconfig)$/;

/** Names as tools want them: `.eslintrc.json`, `jest.config.ts`, `.mocharc.yml`, `vitest.workspace.ts`. */
const CONFIG_FORM =
  /^\.[\w-]+rc(?:\.[cm]?[jt]s|\.json5?|\.ya?ml|\.toml)?$|^[\w.-]+\.(?:config|conf|workspace)\.[cm]?(?:[jt]s|json|ya?ml|toml)$|^\.[\w-]*(?:lint|cov|cop|swiftlint|golangci|credo|simplecov|size-limit|bundlewatch|rspec|flake8|coveragerc|pylintrc)[\w-]*(?:\.\w+)?$|^\.(?:golangci|credo|rubocop|size-limit)[\w.-]*$/;

export function roleOf(path: string, named: ReadonlySet<string>): Role {
  const name = fileName(path);
  if (HOOK.test(path)) return "hook";
  if (ARTEFACT.test(path)) return "artefact";
  if (LOCK.test(path)) return "lock";
  if (CI.test(path)) return "script";
  if (CONFIG_NAME.test(name) || CONFIG_FORM.test(name)) return "config";
  if (named.has(path)) return isAmongTests(path) && languageOf(path) !== "shell" ? "test" : "script";
  if (GOLDEN.test(path) && !isCode(path)) return "golden";
  if (isAmongTests(path) && (isProgram(languageOf(path)) || path.endsWith(".feature"))) return "test";
  if (SCRIPT.test(path)) return "script";
  if (/\.(?:md|mdx|rst|adoc|txt)$/i.test(name) || /^(?:LICENSE|NOTICE|AUTHORS|CHANGELOG)\b/.test(name)) return "prose";
  return "product";
}

/** Whether builds write to where the file lies. */
export function isBuilt(path: string): boolean {
  return BUILT.test(path);
}

/** Whether something is there is seen by the check itself: `test -f a.txt -a ! -e b.txt`, `[ ! -x bin/a ]`. */
const LOOKED_FOR = /(?:\btest|\[)(?:(?:\s+(?:-[ao]|!))*\s+-[a-zA-Z]\s+\S+)+/g;

/**
 * The paths that the check commands name: every word with a slash or a dot in it, without a leading `./`, but for files
 * that are only looked for.
 */
export function pathsNamedBy(checks: readonly string[]): Set<string> {
  const words = checks.flatMap(
    (check) =>
      check
        .slice(0, 10_000)
        .replace(LOOKED_FOR, " ")
        .match(/[\w@./+-]+/g) ?? [],
  );
  return new Set(words.filter((word) => /[./]/.test(word)).map((word) => word.replace(/^\.\//, "").replace(/\/$/, "")));
}

function isCode(path: string): boolean {
  return isProgram(languageOf(path)) && !/\.(?:golden|approved|verified|expected)\./.test(path);
}
