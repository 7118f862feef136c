import { expect, test } from "vitest";
import { openCodeConfig, openCodeModel, openCodeRules } from "./opencode-config.ts";

const config = (before: string | undefined, wishes = {}) =>
  JSON.parse(openCodeConfig(before, { mcp: [], bypass: false, ...wishes }) ?? "null");

test("its settings make it ask for what is ruled on, share nothing and replace nothing", () => {
  expect(config(undefined)).toEqual({
    autoupdate: false,
    share: "disabled",
    permission: {
      bash: { "*": "ask" },
      edit: { "*": "ask" },
      external_directory: { "*": "ask" },
      webfetch: "ask",
      question: "deny",
    },
    mcp: {},
    experimental: { continue_loop_on_deny: true },
  });
});

test("what its user says otherwise stays, and so does what is refused by a narrower pattern", () => {
  const own = {
    model: "lab/one",
    autoupdate: true,
    permission: { bash: { "*": "allow", "rm *": "deny" }, edit: "allow", read: { "*.key": "deny" } },
    mcp: { mine: { type: "local", command: ["mine"] } },
    experimental: { batch_tool: true },
  };
  expect(config(JSON.stringify(own))).toEqual({
    ...own,
    autoupdate: false,
    share: "disabled",
    permission: {
      bash: { "*": "ask", "rm *": "deny" },
      edit: { "*": "ask" },
      read: { "*.key": "deny" },
      external_directory: { "*": "ask" },
      webfetch: "ask",
      question: "deny",
    },
    experimental: { batch_tool: true, continue_loop_on_deny: true },
  });
  expect(config('{"permission":"allow"}').permission["*"]).toBe("allow");
  expect(config("not json")).toBeNull();
  expect(config(" ")).toMatchObject({ autoupdate: false });
});

test("one that asks nobody has no permissions of lockstep's", () => {
  expect(config('{"permission":{"edit":"deny"}}', { bypass: true }).permission).toEqual({
    edit: "deny",
    question: "deny",
  });
});

test("servers of tools are given to it, by program or by address", () => {
  const mcp = [
    { name: "lockstep", url: "http://127.0.0.1:1/mcp", headers: { authorization: "Bearer a" } },
    { name: "shim", command: "node", args: ["shim.mjs"], env: { A: "1" } },
  ];
  expect(config('{"mcp":{"mine":{"enabled":false}}}', { mcp }).mcp).toEqual({
    mine: { enabled: false },
    lockstep: {
      ...{ type: "remote", url: "http://127.0.0.1:1/mcp", headers: { authorization: "Bearer a" } },
      ...{ oauth: false, enabled: true },
    },
    shim: { type: "local", command: ["node", "shim.mjs"], environment: { A: "1" }, enabled: true },
  });
});

const rule = (permission: string, pattern: string, action: string) => ({ permission, pattern, action });

test("the rules of a conversation ask where those of its agent allow, in their order", () => {
  const permission = [
    rule("*", "*", "allow"),
    rule("doom_loop", "*", "ask"),
    rule("external_directory", "*", "ask"),
    rule("external_directory", "/home/tool-output/*", "allow"),
    rule("bash", "git *", "allow"),
    rule("bash", "git push *", "deny"),
    { permission: 3 },
  ];
  expect(openCodeRules({ permission }, false)).toEqual([
    rule("*", "*", "allow"),
    ...["bash", "edit", "webfetch", "external_directory"].map((name) => rule(name, "*", "ask")),
    rule("doom_loop", "*", "ask"),
    rule("external_directory", "*", "ask"),
    rule("external_directory", "/home/tool-output/*", "allow"),
    rule("bash", "git *", "ask"),
    rule("bash", "git push *", "deny"),
  ]);
  expect(openCodeRules({ permission }, true).filter(({ action }) => action === "ask")).toEqual([]);
  expect(openCodeRules(undefined, false)).toEqual([]);
});

test("a model is named with its provider", () => {
  expect(openCodeModel("a/b/c")).toEqual({ providerID: "a", modelID: "b/c" });
  expect([openCodeModel("a"), openCodeModel("/a"), openCodeModel("a/")]).toEqual([null, null, null]);
});
