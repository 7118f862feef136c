/** The real Codex, shut off from everything of this machine that is not the test's. */

import { mkdirSync } from "node:fs";
import { join } from "node:path";

/** The bundled model that has the plain tools `exec_command` and `apply_patch`. */
export const CODEX_MODEL = "gpt-5.5";

/** The command line with a provider of the test's own, whose key stands in the environment. */
export function codexCommand(modelUrl: string): string[] {
  const program = process.env["LOCKSTEP_TEST_CODEX"];
  if (program === undefined) throw new Error("no Codex to test with: run these tests by `npm run test:agents`");
  const provider = `{name="scripted",base_url="${modelUrl}/v1",env_key="SCRIPTED_KEY",wire_api="responses"}`;
  return [program, "-c", 'model_provider="scripted"', "-c", `model_providers.scripted=${provider}`];
}

/** A home and a temporary directory of its own: it will not work in a home that lies in the latter. */
export function codexEnv(dir: string): Record<string, string> {
  const [home, temporary] = [join(dir, "home"), join(dir, "temporary")];
  for (const own of [home, temporary]) mkdirSync(own, { recursive: true });
  return { HOME: home, TMPDIR: temporary, SCRIPTED_KEY: "a-key-that-opens-nothing" };
}
