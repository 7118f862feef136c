/** The real Claude Code, shut off from everything of this machine that is not the test's. */

/** Names of the variables by which it is told that its service is the test's own, and to talk to nobody else. */
export function claudeEnv(modelUrl: string): Record<string, string> {
  return {
    ANTHROPIC_BASE_URL: modelUrl,
    ANTHROPIC_API_KEY: "a-key-that-opens-nothing",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    CLAUDE_CODE_MAX_RETRIES: "1",
    DISABLE_AUTOUPDATER: "1",
    DISABLE_ERROR_REPORTING: "1",
    DISABLE_TELEMETRY: "1",
  };
}

/** Absolute path of the program that `npm run test:agents` has installed for these tests. */
export function claudeProgram(): string {
  const program = process.env["LOCKSTEP_TEST_CLAUDE"];
  if (program === undefined) throw new Error("no Claude Code to test with: run these tests by `npm run test:agents`");
  return program;
}
