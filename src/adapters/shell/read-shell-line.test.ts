import { expect, test } from "vitest";
import { UNKNOWN_TEXT } from "../../core/policy/tool-rules.ts";
import { readShellLine } from "./read-shell-line.ts";

/** What is not known is shown as `?`. */
const read = async (line: string) => {
  const { commands, openings, isWhole } = await readShellLine(line);
  const shown = (text: string): string => text.replaceAll(UNKNOWN_TEXT, "?");
  return {
    words: commands.map(({ words }) => shown(words)),
    also: commands.flatMap(({ also }) => also.map(shown)),
    openings: openings.map(({ kind, about }) => `${kind} ${about}`),
    isWhole,
  };
};

test.each([
  ["npm test", ["npm test"]],
  ["cd a && rm -rf 'b c' | tee log; ls &", ["cd a", "rm -rf b c", "tee log", "ls"]],
  ["(rm a); { rm b; }; if x; then rm c; fi; f() { rm d; }", ["rm a", "rm b", "x", "rm c", "rm d"]],
  ['echo "$(rm a)" <(rm b)', ["echo ? ?", "rm a", "rm b"]],
  ["cat <<EOF\n$(rm a)\nEOF", ["cat", "rm a"]],
  ["r\\m a; 'rm' b; $'\\x72m' c", ["rm a", "rm b", "rm c"]],
  ["rm $X *.log {a,b}", ["rm ? *.log ?"]],
  ["/bin/bash -lc 'rm a && sh -c \"rm b\"'", ["rm a", "rm b"]],
  ["bash -o pipefail -c 'rm a'", ["bash -o pipefail -c rm a", "rm a"]],
  ["bash -co pipefail 'rm a'", ["pipefail", "rm a"]],
  ["bash -c 'rm $0' x", ["rm ?"]],
  ["eval rm a", ["eval rm a", "rm a"]],
  ["bash build.sh; . ./env.sh", ["bash build.sh", ". ./env.sh"]],
  ["coproc rm a", ["rm a"]],
  ["trap 'rm a' EXIT; trap - INT; trap '' HUP", ["trap rm a EXIT", "rm a", "trap - INT", "trap  HUP"]],
])("every simple command of a line is found: %s", async (line, words) => {
  expect(await read(line)).toMatchObject({ words, isWhole: true });
});

test.each([
  ["sudo -u root A=1 /bin/rm a", ["A=1 /bin/rm a"]],
  ["env -i X=1 rm a", ["X=1 rm a"]],
  ["timeout -s KILL 10 nice -n 5 rm $X", ["nice -n 5 rm ?", "rm ?"]],
  ["command rm a; builtin cd a; exec -a x rm b", ["rm a", "cd a", "rm b"]],
  ["command -v rm", []],
  ["ls | xargs -n1 -P 4 rm -f", ["rm -f ?"]],
  ["ls | xargs -I F rm F/a", ["rm ?/a"]],
  ["find . -type f -exec rm -rf {} + -okdir mv {} a \\;", ["rm -rf ?", "mv ? a"]],
  ["find . -exec sh -c 'rm \"$1\"' _ {} \\;", ["rm ?"]],
])("what a command starts is a command as well: %s", async (line, started) => {
  const { words, isWhole } = await read(line);
  expect(isWhole).toBe(true);
  expect(words.filter((each) => !/^(?:sudo|env|timeout|command|builtin|exec|xargs|find|ls)\b/.test(each))).toEqual(
    started,
  );
});

test.each([
  ["alias ls='rm -rf'; ls /", "rm -rf /"],
  ["shopt -s expand_aliases\nalias g=git\ng push 'a b'", "git push a b"],
  ["alias a='a -l'; a x", "a -l x"],
  ["hash -p /bin/rm ls; ls -rf /", "/bin/rm -rf /"],
  ['ls() { rm "$@"; }; ls -rf /', "rm ?"],
])("another name is read as what it stands for: %s", async (line, words) => {
  const found = await read(line);
  expect(found.words).toContain(words);
  expect(found.isWhole).toBe(true);
});

test.each([
  ["PATH=/x ls", ["PATH=/x ls"], ["ls", "/x"]],
  ["PATH=/x; ls", ["PATH=/x", "ls"], ["/x"]],
  ["export PATH=/x", ["export PATH=/x"], ["/x"]],
  ["BASH_ENV=/x bash -c ls", ["BASH_ENV=/x bash -c ls", "ls"], ["bash -c ls", "/x"]],
  ["PAGER='rm -rf /' git log", ["PAGER=rm -rf / git log"], ["git log", "rm -rf /"]],
  ["CI=1 LC_ALL=C npm test", ["npm test"], ["1", "C"]],
])("a variable is a part of its command, or one of its own, unless it does no harm: %s", async (line, words, also) => {
  expect(await read(line)).toEqual({ words, also, openings: [], isWhole: true });
});

test("a command may also be its program by its bare name, and what is written for what is not known", async () => {
  expect((await read("/bin/rm $X")).also).toEqual(["rm ?", "/bin/rm $X"]);
});

test.each([
  ["git status > ../../.bashrc", ["write ../../.bashrc"]],
  ["> a; b >> c; d >| e; f &> g; h &>> i; j >& k", ["a", "c", "e", "g", "i", "k"].map((path) => `write ${path}`)],
  ["{ a; b; } > c; if d; then e; fi 2> f", ["write c", "write f"]],
  ["a < b; c <> d", ["read b", "read d", "write d"]],
  ["exec 3> /etc/a {fd}> b", ["write /etc/a", "write b"]],
  ["bash -c 'a > b'; eval 'c > d'", ["write b", "write d"]],
  ["a 2>&1 >&2 3>&- 4<&0 > /dev/null 2> /dev/stderr <<< b", []],
  ["a > >(tee b) < <(c)", []],
  ["exec 3<> /dev/tcp/example.org/80", ["fetch tcp://example.org:80", "fetch tcp://example.org:80"]],
  ["cd a && b > c; cd /etc; d > e", ["write c", "write a/c", "write e", "write a/e", "write /etc/e"]],
])("the files that a line opens are found, wherever it may be by then: %s", async (line, openings) => {
  expect(await read(line)).toMatchObject({ openings, isWhole: true });
});

test.each([
  "a > $X",
  'a > "b/$X"',
  "a > ~/b",
  "a > *.log",
  "a >& $X",
  "cd $X; a > b",
  "cd; a > b",
  "cd ~/x; a > b",
  "cd -; a > b",
  "while a; do b > c; cd ..; done",
  "f() { a > b; }; cd /etc; f",
  "trap 'a > b' EXIT; cd /etc",
  Array.from({ length: 5 }, (_, n) => `cd d${n}`)
    .join("; ")
    .concat("; a > b"),
])("a file that shows only when the line runs is none in particular: %s", async (line) => {
  expect(await read(line)).toMatchObject({ openings: ["write null"], isWhole: true });
});

test.each([
  "if true; then",
  "echo 'never ended",
  'bash -c "$SCRIPT"',
  "bash $X -c ls",
  'eval "rm $X"',
  'trap "$X" EXIT',
  'alias ls="$X"; ls',
  "source <(curl x)",
  ". /dev/stdin",
  "bash /dev/stdin",
  "bash <(curl x)",
  "curl http://x | sh",
  "bash -s < file",
  "cat <<< 'rm a' | bash",
  "fish -c 'rm a'",
  "sudo --unheard-of x rm a",
  "env -S 'rm a'",
  "timeout $X rm a",
  "watch 'rm a'",
  "PS4='$(rm a)'; set -x",
  "BASH_ALIASES[ls]=rm; ls",
  "env 'BASH_FUNC_ls%%=() { rm; }' bash -c ls; BASH_FUNC_ls='() { rm; }'",
  "compgen -C 'rm a'",
  "mapfile -C 'rm a' b",
  "bind -x a; complete -C rm b",
  "enable -f ./a.so a",
  "printf -v 'a[$(rm b)]' c",
  "[[ -v 'a[$(rm b)]' ]]",
  "[[ 'a[$(rm b)]' -eq 1 ]]",
  "(( a['$(rm b)'] ))",
  `echo "\${X@P}"`,
  "",
])("of what nobody can read, neither the commands nor the files are known: %s", async (line) => {
  expect(await read(line)).toMatchObject({
    openings: expect.arrayContaining(["write null", "read null"]),
    isWhole: false,
  });
});

test.each(["$TOOL a", "sudo $TOOL a", "X=rm; $X a", "{rm,-rf,a}", `rm\${IFS}-rf`, "/bin/r? a", 'find . -name "$X"'])(
  "a program that shows only when the line runs is not known: %s",
  async (line) => {
    expect(await read(line)).toMatchObject({ openings: [], isWhole: false });
  },
);

test("where it is not clear which word begins what is started, each may", async () => {
  expect((await read("strace -f /bin/rm a")).also).toEqual(["-f /bin/rm a", "/bin/rm a", "rm a", "a"]);
});

test("a line that nobody would write is not read", async () => {
  expect((await read(`ls ${"x".repeat(70_000)}`)).isWhole).toBe(false);
});

test("shells in shells without end are not followed for ever", async () => {
  const nested = Array.from({ length: 12 }).reduce<string>((inner) => `bash -c ${JSON.stringify(inner)}`, "rm a");
  expect((await read(nested)).isWhole).toBe(false);
});

test("what stands for much is not read again without end", async () => {
  const many = (times: number): string => `alias a='x ${"y".repeat(30_000)}'; ${"a; ".repeat(times)}`;
  expect((await read(many(3))).isWhole).toBe(true);
  expect((await read(many(100))).isWhole).toBe(false);
});

test("names that stand for names do not make the line longer without end", async () => {
  const names = Array.from({ length: 5 }, (_, n) => `alias a${n}='${`a${n + 1};`.repeat(40)}'`);
  const began = performance.now();
  expect((await read(`${names.join("; ")}; a0`)).isWhole).toBe(false);
  expect(performance.now() - began).toBeLessThan(2_000);
});
