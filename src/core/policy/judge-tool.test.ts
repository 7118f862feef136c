import { describe, expect, test } from "vitest";
import { judgeTool, needReading } from "./judge-tool.ts";
import { toolRuleProblem } from "./tool-rule.ts";
import { type ShellLine, type ToolCall, type ToolRules, UNKNOWN_TEXT } from "./tool-rules.ts";

const NONE: ToolRules = { deny: [], ask: [], allow: [], otherwise: "allow" };
const workspace = "/place/tree";
const whole = (...commands: string[]): ShellLine => ({
  commands: commands.map((words) => ({ words: words.replaceAll("$", UNKNOWN_TEXT), also: [] })),
  openings: [],
  isWhole: true,
});
const run = (line: ShellLine | null, rules: Partial<ToolRules>, about = "line") =>
  judgeTool({ kind: "run", tool: "Bash", about }, { rules: { ...NONE, ...rules }, workspace, line });
const call = (call: Partial<ToolCall>, rules: Partial<ToolRules>) =>
  judgeTool({ kind: "other", tool: "x", about: "", ...call }, { rules: { ...NONE, ...rules }, workspace, line: null });

describe("a command line", () => {
  test("is denied if any command of it is, whatever else is allowed", () => {
    const rules = { deny: ["run(rm *)"], allow: ["run(*)"] };
    expect(run(whole("npm test", "rm -rf /"), rules)).toEqual({ verdict: "deny", rule: "run(rm *)" });
    expect(run(whole("npm test"), rules)).toEqual({ verdict: "allow", rule: "run(*)" });
  });

  test("is not carried along by one command that is allowed", () => {
    const rules = { allow: ["run(npm *)"], otherwise: "ask" } as const;
    expect(run(whole("npm test"), rules)).toEqual({ verdict: "allow", rule: "run(npm *)" });
    expect(run(whole("npm test", "curl x"), rules)).toEqual({ verdict: "ask", rule: null });
  });

  test("is held by what its commands may start, but allowed only by what they are", () => {
    const line: ShellLine = { commands: [{ words: "sudo rm a", also: ["rm a"] }], openings: [], isWhole: true };
    expect(run(line, { deny: ["run(rm *)"] })).toEqual({ verdict: "deny", rule: "run(rm *)" });
    expect(run(line, { allow: ["run(rm *)"], otherwise: "deny" })).toEqual({ verdict: "deny", rule: null });
  });

  test("is asked about when not all of it can be known and there are rules of commands", () => {
    const unread = { ...whole("npm test"), isWhole: false };
    expect(run(unread, { allow: ["run(npm *)"] })).toEqual({ verdict: "ask", rule: null, isUnread: true });
    expect(run(null, { deny: ["run(rm*)"] })).toMatchObject({ verdict: "ask", isUnread: true });
    expect(run(null, { deny: ["run(rm*)"] }, "rm a")).toMatchObject({ verdict: "deny" });
    expect(run(unread, { deny: ["run(rm*)"], otherwise: "deny" })).toEqual({ verdict: "deny", rule: null });
    expect(run(unread, { deny: ["write(*)"] })).toEqual({ verdict: "allow", rule: null });
  });

  test("is also held against rules as a whole", () => {
    const rules = { deny: ["run(curl * | sh)"] };
    expect(run(whole("curl x", "sh"), rules, "curl x | sh")).toMatchObject({ verdict: "deny" });
  });

  test("is asked about when a deny or ask rule may be of what shows only when it runs, and no rule of one word allows it", () => {
    const deny = ["run(rm -rf *)"];
    expect(run(whole("rm $ /"), { deny, allow: ["run(rm *)"] })).toEqual({
      verdict: "ask",
      rule: null,
      isUnread: true,
    });
    expect(run(whole("rm $"), { ask: deny })).toMatchObject({ verdict: "ask", isUnread: true });
    expect(run(whole("rm -rf $"), { deny })).toEqual({ verdict: "deny", rule: "run(rm -rf *)" });
    expect(run(whole("rm -f $"), { deny })).toEqual({ verdict: "allow", rule: null });
    expect(run(whole("npm run $"), { allow: ["run(npm run *)"], otherwise: "deny" }).verdict).toBe("allow");
    expect(run(whole("npm run $"), { allow: ["run(npm run ?)"], otherwise: "deny" }).verdict).toBe("deny");
  });

  test("deny beats ask", () => {
    expect(run(whole("git push"), { deny: ["run(git push)"], ask: ["run(git *)"] }).verdict).toBe("deny");
    expect(run(whole("git pull"), { deny: ["run(git push)"], ask: ["run(git *)"] }).verdict).toBe("ask");
  });
});

describe("a file that a command line opens", () => {
  const opens = (kind: "read" | "write" | "fetch", about: string | null, ...commands: string[]): ShellLine => ({
    ...whole(...commands),
    openings: [{ kind, about }],
  });

  test("is judged like a call that reads or writes it", () => {
    const opening = { kind: "write", about: "../../.bashrc" } as const;
    const line = opens("write", "../../.bashrc", "git status");
    const allow = ["run(git status)"];
    expect(run(line, { allow, otherwise: "ask" })).toEqual({ verdict: "ask", rule: null, opening });
    expect(run(line, { allow, otherwise: "deny" })).toEqual({ verdict: "deny", rule: null, opening });
    expect(run(line, { deny: ["write(/.bashrc)"], allow })).toEqual({
      verdict: "deny",
      rule: "write(/.bashrc)",
      opening,
    });
    expect(
      run(opens("write", "src/a", "git status"), { allow: [...allow, "write(src/**)"], otherwise: "deny" }),
    ).toEqual({
      verdict: "allow",
      rule: "run(git status)",
    });
    expect(run(opens("read", ".env", "wc -l"), { deny: ["read(.env)"], allow: ["run(*)"] }).verdict).toBe("deny");
    expect(run(opens("fetch", "tcp://h:80"), { deny: ["fetch(*)"] }).verdict).toBe("deny");
  });

  test("is allowed with the tool that opens it", () => {
    expect(run(opens("write", "a", "ls"), { allow: ["Bash"], otherwise: "deny" }).verdict).toBe("allow");
  });

  test("is asked about when it shows only when the line runs, and there are rules against such files", () => {
    const line = opens("write", null, "ls");
    const opening = { kind: "write", about: null };
    const unread = { verdict: "ask", rule: null, isUnread: true, opening };
    expect(run(line, { deny: ["write(/etc/**)"], allow: ["run(ls)"] })).toEqual(unread);
    expect(run(line, { ask: ["write(src/**)"] })).toEqual(unread);
    expect(run(line, { deny: ["write(*)"] }).verdict).toBe("deny");
    expect(run(line, { deny: ["write(/**)"] }).verdict).toBe("deny");
    expect(run(line, { deny: ["read(*)"] }).verdict).toBe("allow");
    expect(run(line, { allow: ["run(ls)", "write(src/**)"], otherwise: "deny" }).verdict).toBe("deny");
    expect(run(null, { deny: ["write(/etc/**)"] })).toEqual(unread);
  });

  test("may be all that a line does", () => {
    expect(run(opens("write", "a"), { allow: ["write(a)"], otherwise: "deny" }, "> a").verdict).toBe("allow");
  });
});

test.each([
  ["write", "/etc/passwd", "write(/etc/**)", "deny"],
  ["write", "/place/tree/../../etc/passwd", "write(/etc/**)", "deny"],
  ["write", "../../etc/passwd", "write(/etc/**)", "deny"],
  ["write", "src/a.ts", "write(src/**)", "deny"],
  ["write", "/place/tree/src/a.ts", "write(src/**)", "deny"],
  ["write", "/elsewhere/src/a.ts", "write(src/**)", "allow"],
  ["read", "/etc/passwd", "write(/etc/**)", "allow"],
  ["read", "/a/b/.env", "read(/**/.env)", "deny"],
  ["write", "/anywhere", "write(*)", "deny"],
  ["fetch", "https://example.org/a", "fetch(https://example.org/*)", "deny"],
  ["fetch", "https://example.com/a", "fetch(https://example.org/*)", "allow"],
  ["run", "rm", "run(rm *)", "deny"],
  ["run", "rmdir x", "run(rm *)", "allow"],
  ["run", "rmdir x", "run(rm*)", "deny"],
] as const)("%s %s under deny %s: %s", (kind, about, rule, verdict) => {
  const line = kind === "run" ? whole(about) : null;
  const rules = { ...NONE, deny: [rule] };
  expect(judgeTool({ kind, tool: "t", about }, { rules, workspace, line }).verdict).toBe(verdict);
});

test("a rule without a kind is of names of tools", () => {
  expect(call({ tool: "mcp__db__drop" }, { deny: ["mcp__*"] })).toEqual({ verdict: "deny", rule: "mcp__*" });
  expect(call({ tool: "Task" }, { deny: ["mcp__*"] }).verdict).toBe("allow");
  expect(run(whole("ls"), { ask: ["B?sh"] }).verdict).toBe("ask");
});

test("stars without number take no time", () => {
  const began = performance.now();
  expect(call({ kind: "fetch", about: "a".repeat(20_000) }, { deny: [`fetch(${"*a".repeat(200)}b)`] }).verdict).toBe(
    "allow",
  );
  expect(performance.now() - began).toBeLessThan(2_000);
});

test("a rule that cannot be meant is named", () => {
  expect(toolRuleProblem("run(rm *)")).toBeNull();
  expect(toolRuleProblem("write(/etc/**)")).toBeNull();
  expect(toolRuleProblem("mcp__*")).toBeNull();
  expect(toolRuleProblem("execute(rm *)")).toBe(
    "must be KIND(GLOB) with a kind of run, write, read, fetch, other, or a glob of names of tools",
  );
  expect(toolRuleProblem("run()")).toBe("needs a glob in its brackets: run(*) is every one");
  expect(toolRuleProblem("write(../**)")).toBe(
    'is not a glob of paths: it leaves its directory with ".."; write it from the root of the repository',
  );
  expect(toolRuleProblem("x".repeat(1_001))).toBe("must be at most 1000 characters");
});

test("only rules of commands, files and addresses need a line to be read", () => {
  for (const rule of ["run(npm *)", "write(*)", "read(a)", "fetch(*)"])
    expect(needReading({ ...NONE, allow: [rule] })).toBe(true);
  expect(needReading({ ...NONE, deny: ["other(*)", "Bash"] })).toBe(false);
});
