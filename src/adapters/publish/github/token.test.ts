import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { withToken } from "./push-credentials.ts";
import { githubToken } from "./token.ts";

/** Where a `gh` is that is logged in to github.com. */
let bin: string;
beforeAll(() => {
  bin = mkdtempSync(join(tmpdir(), "lockstep gh "));
  const script = `#!/bin/sh\ntest "$*" = "auth token --hostname github.com" && echo from-gh || exit 1\n`;
  writeFileSync(join(bin, "gh"), script, { mode: 0o755 });
});
afterAll(() => rmSync(bin, { recursive: true }));

const ask = (env: Record<string, string>, token_env: string | null = null, host = "github.com") => {
  return githubToken({ env: { PATH: `${bin}:/usr/bin:/bin`, ...env }, token_env, host });
};

describe("the token", () => {
  it("is that of the named variable, and of no other", async () => {
    const env = { MINE: " mine\n", GITHUB_TOKEN: "usual" };
    expect(await ask(env, "MINE")).toBe("mine");
    expect(await ask({ GITHUB_TOKEN: "usual" }, "MINE")).toEqual({
      code: "forbidden",
      text: "The variable MINE has no token for github.com.",
      next: "Set MINE, or drop publish.token_env.",
      retriable: false,
      until: null,
    });
  });

  it("is that of the usual variables, else gh's", async () => {
    expect(await ask({ GITHUB_TOKEN: "first", GH_TOKEN: "second" })).toBe("first");
    expect(await ask({ GITHUB_TOKEN: "", GH_TOKEN: "second" })).toBe("second");
    expect(await ask({})).toBe("from-gh");
  });

  it("is sent to no other host than the one that it is for", async () => {
    const env = { GITHUB_TOKEN: "public", GH_ENTERPRISE_TOKEN: "own" };
    expect(await ask(env, null, "git.corp.test")).toBe("own");
    expect(await ask({ GITHUB_TOKEN: "public" }, null, "git.corp.test")).toMatchObject({
      code: "forbidden",
      text: "There is no token for git.corp.test.",
      next: "Set GH_ENTERPRISE_TOKEN or GITHUB_ENTERPRISE_TOKEN, or log in with `gh auth login --hostname git.corp.test`.",
    });
    expect(await ask(env, null, "acme.ghe.com")).toBe("public");
  });

  it("is missing where there is no gh", async () => {
    expect(await ask({ PATH: "/nowhere" })).toMatchObject({
      code: "forbidden",
      text: "There is no token for github.com.",
    });
  });

  it("is refused, and not told, where it is more than a token", async () => {
    const refused = await ask({ GITHUB_TOKEN: "two words" });
    expect(refused).toMatchObject({ code: "forbidden", text: "What GITHUB_TOKEN or GH_TOKEN gives is not a token." });
  });

  it("is what git asks for when it pushes to that host over https, and to no other", () => {
    const fill = (input: string): string => {
      const env = {
        PATH: process.env["PATH"],
        HOME: bin,
        GIT_TERMINAL_PROMPT: "0",
        ...withToken("github.com", "s3cret"),
      };
      return execFileSync("git", ["credential", "fill"], { env, input, cwd: bin, encoding: "utf8", stdio: "pipe" });
    };
    expect(fill("protocol=https\nhost=github.com\n\n")).toContain("username=x-access-token\npassword=s3cret\n");
    expect(() => fill("protocol=https\nhost=evil.test\n\n")).toThrow("terminal prompts disabled");
    expect(() => fill("protocol=http\nhost=github.com\n\n")).toThrow("terminal prompts disabled");
  });

  it("is not told to the helpers of the user, who would keep it", () => {
    writeFileSync(join(bin, ".gitconfig"), "[credential]\n\thelper = store\n");
    const approved = { PATH: process.env["PATH"], HOME: bin, ...withToken("github.com", "s3cret") };
    const input = "protocol=https\nhost=github.com\nusername=x-access-token\npassword=s3cret\n\n";
    execFileSync("git", ["credential", "approve"], { env: approved, input, cwd: bin });
    expect(existsSync(join(bin, ".git-credentials"))).toBe(false);
  });
});
