/** The real OpenCode, shut off from everything of this machine that is not the test's. */

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { type Cli, openCodeCli } from "./acp-cli.ts";
import type { Place } from "./place.ts";

/** To be driven by its server: what starts it, without a word on how. */
export function openCodeProgram(place: Place, modelUrl: string): Cli {
  const { program, env } = openCodeCli(place, modelUrl);
  const { permission: _, ...config } = JSON.parse(env["OPENCODE_CONFIG_CONTENT"]!) as Record<string, unknown>;
  return { program: program.slice(0, 1), env: { ...env, OPENCODE_CONFIG_CONTENT: JSON.stringify(config) } };
}

/** What it left where temporary files go. */
export function leftBehind({ base }: Place): string[] {
  const temporary = join(base, "home/tmp");
  return existsSync(temporary) ? readdirSync(temporary).filter((name) => name !== ".keep") : [];
}
