/** Rules over real command lines: what tries to get around them does not. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { readShellLine } from "../adapters/shell/read-shell-line.ts";
import { judgeTool } from "../core/policy/judge-tool.ts";
import type { ToolRules, Verdict } from "../core/policy/tool-rules.ts";

async function verdictOn(about: string, given: Partial<ToolRules>): Promise<Verdict> {
  const rules: ToolRules = { deny: [], ask: [], allow: [], otherwise: "allow", ...given };
  const line = await readShellLine(about);
  return judgeTool({ kind: "run", tool: "Bash", about }, { rules, workspace: "/place/tree", line }).verdict;
}

const STATUS = { allow: ["run(git status)"], otherwise: "deny" } as const;

test.each([
  ["git status", "allow"],
  ["git status 2>&1 > /dev/null", "allow"],
  ["bash -lc 'git status'", "allow"],
  ["NO_COLOR=1 git status && git status", "allow"],
  ["git status > ../../.bashrc", "deny"],
  ["git status >| a", "deny"],
  ["git status; > a", "deny"],
  ["git status <> a", "deny"],
  ["git status | tee a", "deny"],
  ["git status $X", "deny"],
  ["git $X", "deny"],
  ["PATH=/tmp/x git status", "deny"],
  ["PATH=/tmp/x; git status", "deny"],
  ["GIT_PAGER='rm a' git status", "deny"],
  ["alias git='rm a'; git status", "deny"],
  ["git() { rm a; }; git status", "deny"],
  ["hash -p /tmp/x git; git status", "deny"],
  ["source x; git status", "deny"],
  ["trap 'rm a' DEBUG; git status", "deny"],
  ["exec git status", "deny"],
  ["BASH_ENV=/tmp/x bash -c 'git status'", "deny"],
  ["bash --rcfile /tmp/x -ic 'git status'", "deny"],
  ["git status & rm a", "deny"],
  ["git status\nrm a", "deny"],
  ["git status `rm a`", "deny"],
  ["[[ -v 'a[$(rm a)]' ]] && git status", "deny"],
] as const)("with only git status allowed, %j comes to %s", async (line, verdict) => {
  expect(await verdictOn(line, STATUS)).toBe(verdict);
});

test.each([
  ["find . -name '*.ts'", "allow"],
  ["find . -exec grep -l a {} +", "allow"],
  ["find . -exec rm {} +", "deny"],
  ["find . -exec sh -c 'rm a' \\;", "deny"],
  ["ls | xargs grep a", "allow"],
  ["ls | xargs rm", "deny"],
  ["env rm a", "deny"],
  ["timeout 5 rm a", "deny"],
] as const)("a starter that is allowed allows nothing that it starts: %j comes to %s", async (line, verdict) => {
  const allow = ["find", "xargs", "env", "timeout", "grep", "ls"].map((name) => `run(${name} *)`);
  expect(await verdictOn(line, { allow, otherwise: "deny" })).toBe(verdict);
});

test.each([
  ["echo a > /etc/passwd", "deny"],
  ["cd /etc && echo a > passwd", "deny"],
  ["cd / && cd etc && echo a >> ./passwd", "deny"],
  ["bash -c 'echo a > ../../etc/passwd'", "deny"],
  ["echo a > src/a", "allow"],
  ["echo a > $X", "ask"],
  ["echo a > ~/a", "ask"],
  ['eval "$X"', "ask"],
  ["echo 'a", "ask"],
  ["cat < /etc/passwd", "allow"],
] as const)("with writing to /etc denied, %j comes to %s", async (line, verdict) => {
  expect(await verdictOn(line, { deny: ["write(/etc/**)"] })).toBe(verdict);
});

/** Ways to have a shell run a line that do not show it as it is. Each is given the line. */
const DISGUISES: readonly ((line: string) => string)[] = [
  (line) => `true && ${line}`,
  (line) => `ls | { ${line}; } > out`,
  (line) => `(${line}) &`,
  (line) => `f() { ${line}; }; f`,
  (line) => `echo "$(${line})"`,
  (line) => `for x in a; do ${line}; done`,
  (line) => `bash -c ${quoted(line)}`,
  (line) => `/usr/bin/env X=1 sh -ec ${quoted(line)}`,
  (line) => `eval ${quoted(line)}`,
  (line) => `trap ${quoted(line)} EXIT`,
  (line) => `alias ls=${quoted(line)}; ls`,
  (line) => `X=${quoted(line)}; eval "$X"`,
  (line) => `find . -exec bash -c ${quoted(line)} \\;`,
  (line) => `timeout 5 bash -c ${quoted(line)}`,
  (line) => `ls | xargs sh -c ${quoted(line)}`,
  (line) => `echo ${quoted(line)} | bash`,
  (line) => `bash <<'END'\n${line}\nEND`,
  (line) => `coproc { ${line}; }`,
];

const BASES = [
  "rm -rf /",
  "/bin/rm -rf /",
  "\\rm -rf /",
  "r'm' -rf /",
  "command rm -rf /",
  "sudo -n rm -rf /",
  "env -i rm -rf /",
  "X=-rf; rm $X /",
  "X=rm; $X -rf /",
  "rm {-rf,/}",
  "echo -rf / | xargs rm",
  "alias l='rm -rf'; l /",
  'r() { rm "$@"; }; r -rf /',
  "hash -p /bin/rm ls; ls -rf /",
  "find / -exec rm -rf {} +",
];

function quoted(line: string): string {
  return `'${line.replaceAll("'", "'\\''")}'`;
}

test("no disguise of a denied command is allowed, nor one within another", async () => {
  const disguises = fc.array(fc.constantFrom(...DISGUISES), { maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...BASES), disguises, async (base, wraps) => {
      const line = wraps.reduce((inner, wrap) => wrap(inner), base);
      expect(await verdictOn(line, { deny: ["run(rm -rf *)"] }), line).not.toBe("allow");
      expect(await verdictOn(line, { allow: ["run(ls)", "run(git *)"], otherwise: "deny" }), line).not.toBe("allow");
    }),
    { numRuns: 1_000 },
  );
});

test("whatever a line is, it is read without an error, and one that is allowed has no file that is not", async () => {
  const pieces = fc.constantFrom(
    ...["git status", ">", ">>", "<", ";", "&&", "|", "'", '"', "$(", ")", "`", "{", "}", "[[", "]]", "((", "))"],
    ...["\\", "\n", "<<E", "E", "a", "$X", "=", "function f", "do", "done", "for a in", "a=", "$", "#", "case", "!"],
  );
  await fc.assert(
    fc.asyncProperty(fc.array(pieces, { maxLength: 12 }), async (parts) => {
      const line = parts.join(" ");
      if ((await verdictOn(line, { ...STATUS, allow: ["run(git status*)", "run(a*)"] })) !== "allow") return;
      const { openings, isWhole } = await readShellLine(line);
      expect({ openings, isWhole }, line).toEqual({ openings: [], isWhole: true });
    }),
    { numRuns: 1_000 },
  );
});
