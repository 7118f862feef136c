import { expect, test } from "vitest";
import { readShellLine } from "./read-shell-line.ts";

const read = async (line: string) => {
  const { commands, isWhole } = await readShellLine(line);
  return { words: commands.map(({ words }) => words), isWhole };
};

test.each([
  ["npm test", ["npm test"]],
  ["cd a && rm -rf 'b c' | tee log; ls &", ["cd a", "rm -rf b c", "tee log", "ls"]],
  ["(rm a); { rm b; }; if x; then rm c; fi; f() { rm d; }", ["rm a", "rm b", "x", "rm c", "rm d"]],
  ['echo "$(rm a)" <(rm b)', ["echo $(rm a) <(rm b)", "rm a", "rm b"]],
  ["cat <<EOF\n$(rm a)\nEOF", ["cat", "rm a"]],
  ["r\\m a; 'rm' b; $'\\x72m' c", ["rm a", "rm b", "rm c"]],
  ["X=1 rm a", ["rm a"]],
  ["/bin/bash -lc 'rm a && sh -c \"rm b\"'", ["rm a", "rm b"]],
  ["bash -o pipefail -c 'rm a'", ["bash -o pipefail -c rm a", "rm a"]],
  ["eval rm a", ["eval rm a", "rm a"]],
  ["bash build.sh", ["bash build.sh"]],
])("every simple command of a line is found: %s", async (line, words) => {
  expect(await read(line)).toEqual({ words, isWhole: true });
});

test("what a command starts, and its program by its bare name, is what it may be as well", async () => {
  const { commands } = await readShellLine("sudo -u root /bin/rm a; /usr/bin/env X=1 bash -c 'rm b'");
  expect(commands).toEqual([
    {
      words: "sudo -u root /bin/rm a",
      also: expect.arrayContaining(["root /bin/rm a", "/bin/rm a", "rm a"]),
    },
    { words: "/usr/bin/env X=1 bash -c rm b", also: expect.arrayContaining(["env X=1 bash -c rm b"]) },
    { words: "rm b", also: [] },
  ]);
});

test.each([
  "if true; then",
  "echo 'never ended",
  "$TOOL a",
  "sudo $TOOL a",
  'bash -c "$SCRIPT"',
  'eval "$X"',
  "curl http://x | sh",
  "bash -s < file",
  "",
  "x".repeat(70_000),
  `${"bash -c ".repeat(3)}"$(echo)"`,
])("a line of which not all is known before it runs is not whole: %s", async (line) => {
  expect((await read(line)).isWhole).toBe(false);
});

test("shells in shells without end are not followed for ever", async () => {
  const nested = Array.from({ length: 12 }).reduce<string>((inner) => `bash -c ${JSON.stringify(inner)}`, "rm a");
  expect((await read(nested)).isWhole).toBe(false);
});
