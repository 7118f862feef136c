import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { ProjectConfig } from "../config/config.ts";
import { publishPlace } from "./publish-problem.ts";

const root = mkdtempSync(join(tmpdir(), "lockstep-publish-"));
afterAll(() => rmSync(root, { recursive: true }));
const git = (...args: string[]): Buffer => execFileSync("git", args, { cwd: root });
git("init", "-q");

const USUAL: ProjectConfig["publish"] = {
  ...{ to: "github", remote: "origin", draft: true },
  ...{ token_env: null, api_url: null, repository: null },
};
const place = (over: Partial<ProjectConfig["publish"]> = {}, env: NodeJS.ProcessEnv = {}) =>
  publishPlace(root, { publish: { ...USUAL, ...over } } as ProjectConfig, env);

test("where work is published is known without asking anybody, or why it cannot be", async () => {
  expect(await place()).toMatchObject({ code: "publish_remote", message: "the repository has no remote origin" });
  git("remote", "add", "origin", "git@forge.test:acme/widgets.git");
  expect(await place()).toMatchObject({
    code: "publish_repository",
    message: "Nothing says that forge.test is a GitHub.",
  });
  expect(await place({ to: "git" })).toBe("branches, to the remote origin");
  git("remote", "set-url", "origin", "https://github.com/acme/widgets.git");
  const where = "pull requests of acme/widgets on github.com, to the remote origin";
  expect(await place()).toBe(where);
  expect(await place({ token_env: "FORGE" })).toEqual({
    code: "publish_token",
    message: "the variable FORGE has no token for github.com",
    hint: "Set FORGE, or drop publish.token_env.",
  });
  expect(await place({ token_env: "FORGE" }, { FORGE: "x" })).toBe(where);
});
