import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { isTrivialCheck } from "./trivial-check.ts";

const TRIVIAL = [
  "",
  "   ",
  "\n\t\n",
  "true",
  "  true  ",
  ":",
  ": anything at all",
  "exit 0",
  "exit",
  "true; true",
  "true;true;",
  "true && true",
  "true || true && true",
  "echo",
  "echo ok",
  "echo 'a; b && c'",
  'echo "all $GOOD here"',
  "echo $HOME",
  "echo ok && exit 0",
  "echo ok; exit 0; npm test",
  "/bin/true",
  "/usr/bin/true x",
  "/bin/echo ok",
  "# only a comment",
  "true # and a comment with $(x) | y",
  "echo one\necho two\n",
  "'true'",
  '"tr"ue',
  "tr\\ue",
  "command true",
  "builtin echo ok",
  "true \\\n && true",
  "echo a#b",
  "echo *.ts {a,b}",
];

test.each(TRIVIAL)("%j is trivial", (command) => {
  expect(isTrivialCheck(command)).toBe(true);
});

test("bash is green on every check that is called trivial", () => {
  for (const command of TRIVIAL) execFileSync("bash", ["-c", command], { stdio: "ignore" });
});

test.each([
  "npm test",
  "true && npm test",
  "npm test && true",
  "echo ok; npm test",
  "echo running && ./check.sh",
  "exit 1",
  "exit $?",
  "false",
  "! true",
  "true | grep x",
  "echo ok > out.txt",
  "echo $(npm test)",
  "echo `npm test`",
  'echo "$(npm test)"',
  "echo ${".concat("MUST:?}"),
  "(true)",
  "true & npm test",
  "trueish",
  "echoes",
  "./true",
  "test -f out",
  "command -v node",
  "A=1 true",
  "true || exit 0; npm test",
  "echo 'not closed",
  'echo "not closed',
  "$TRUE",
  `echo ${"x".repeat(20_000)}`,
])("%j may be a real check", (command) => {
  expect(isTrivialCheck(command)).toBe(false);
});

test("a hostile command is judged at once", () => {
  expect(isTrivialCheck(`echo ${'"'.repeat(9_001)}`)).toBe(false);
  expect(isTrivialCheck(`echo ${"\\".repeat(9_001)}`)).toBe(false);
  expect(isTrivialCheck(`echo ${'"a'.repeat(4_500)}`)).toBe(true);
});
