/** What an agent reported of its work stays with its attempt, however the attempt ended. */

import { expect, test } from "vitest";
import type { AgentReport } from "../../src/core/attempt/agent-report.ts";
import * as c from "../fixtures/commands.ts";
import { decided } from "../fixtures/decided.ts";
import { inProgress } from "../fixtures/loaded.ts";

const REPORT: AgentReport = { files: ["a.ts"], not_done: ["its test"], verdict: null, handoff: "bert" };

test.each(["succeeded", "failed", "interrupted", "lost"] as const)("of an attempt that %s", (outcome) => {
  const { attempt } = decided(inProgress(), c.settle({ outcome, report: REPORT }));
  expect(attempt).toMatchObject({ outcome, report: REPORT });
});

test("of an attempt that reported nothing there is none", () => {
  expect(decided(inProgress(), c.settle()).after.attempt?.report).toBeNull();
});
