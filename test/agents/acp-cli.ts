/** The real Gemini CLI and OpenCode, shut off from everything of this machine that is not the test's. */

import { join } from "node:path";
import type { Place } from "./place.ts";

/** Absolute path of a program that `npm run test:agents` has installed for these tests. */
function program(variable: string): string {
  const found = process.env[variable];
  if (found === undefined) throw new Error(`no ${variable} to test with: run these tests by \`npm run test:agents\``);
  return found;
}

export interface Cli {
  program: string[];
  /** Its whole environment; its settings stand in the attempt's own home. */
  env: Record<string, string>;
}

/** What every one of them gets: a home and a place for temporary files that no other has. */
function own(place: Place): Record<string, string> {
  const home = join(place.base, "home");
  place.write("home/tmp/.keep", "");
  return { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: home, TMPDIR: join(home, "tmp"), TERM: "dumb" };
}

export function geminiCli(place: Place, modelUrl: string): Cli {
  const settings = {
    general: { disableAutoUpdate: true, enableAutoUpdate: false },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
    security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } },
  };
  place.write("home/.gemini/settings.json", JSON.stringify(settings));
  const env = {
    GEMINI_API_KEY: "a-key-that-opens-nothing",
    GOOGLE_GEMINI_BASE_URL: modelUrl,
    GEMINI_CLI_NO_RELAUNCH: "true",
  };
  return { program: [program("LOCKSTEP_TEST_GEMINI"), "--acp"], env: { ...own(place), ...env } };
}

export function openCodeCli(place: Place, modelUrl: string): Cli {
  const model = { limit: { context: 200_000, output: 8_000 }, cost: { input: 3, output: 15 }, tool_call: true };
  const config = {
    autoupdate: false,
    share: "disabled",
    model: "scripted/one",
    small_model: "scripted/one",
    enabled_providers: ["scripted"],
    provider: {
      scripted: {
        npm: "@ai-sdk/openai-compatible",
        options: { baseURL: `${modelUrl}/v1`, apiKey: "a-key-that-opens-nothing" },
        models: { one: model, two: model },
      },
    },
    permission: { bash: "ask", edit: "ask" },
  };
  const env = {
    OPENCODE_CONFIG_CONTENT: JSON.stringify(config),
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
  };
  return { program: [program("LOCKSTEP_TEST_OPENCODE"), "acp"], env: { ...own(place), ...env } };
}
