/** Rulings on calls by rules, as a runner gives them, with a person who answers at once. */

import { readShellLine } from "../../src/adapters/shell/read-shell-line.ts";
import type { ToolRules } from "../../src/core/policy/tool-rules.ts";
import type { AgentEvent, AgentRequest } from "../../src/ports/agent.ts";
import { permissions } from "../../src/runner/permissions.ts";
import { Questions } from "../../src/runner/questions.ts";

export interface Ruled {
  permit: AgentRequest["permit"];
  /** What was ruled, but for what nothing speaks of. */
  rulings: (AgentEvent & { type: "permission" })[];
  /** What a person was asked. */
  asked: string[];
}

/** `answer` is what the person says to each question. */
export function ruled(workspace: string, given: Partial<ToolRules>, answer = "deny"): Ruled {
  const rules: ToolRules = { deny: [], ask: [], allow: [], otherwise: "allow", ...given };
  const [rulings, asked]: [Ruled["rulings"], string[]] = [[], []];
  const questions: Questions = new Questions({
    tell: ({ question }) => {
      const number = asked.push(question);
      setTimeout(() => questions.answer(number, answer), 500);
      return number;
    },
    changing: () => {},
  });
  const clock = {
    now: Date.now,
    monotonic: () => performance.now(),
    sleep: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms).unref()),
  };
  const ruleOn = permissions({
    ...{ rules, workspace, readShellLine, questions, clock, askWaitMs: 60_000 },
    tell: (event) => {
      if (event.type === "permission") rulings.push(event);
    },
  });
  return { permit: (call) => ruleOn(call, new AbortController().signal), rulings, asked };
}
