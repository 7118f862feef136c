/** What is wrong with how an agent is steered: its rules on tools, its caps, its system prompt. */

import { toolRuleProblem } from "../core/policy/tool-rule.ts";
import { type Finding, quoted } from "../plan-file/finding.ts";
import type { WrittenConfig } from "./config-schema.ts";

type WrittenAgent = NonNullable<WrittenConfig["agents"]>[string];

/** `path` is the agent's. */
export function steeringProblems(agent: WrittenAgent, path: (string | number)[]): Finding[] {
  return [...foreignKeys(agent, path), ...ruleProblems(agent, path), ...bypassProblems(agent, path)];
}

const STEERED = ["system", "turns", "budget_usd", "tools", "dangerously_bypass_permissions"] as const;

/** What has no model, or none that lockstep speaks with. */
const UNSTEERED: readonly string[] = ["command", "scripted", "none"];

/** Agents that never say what their work costs. */
const UNPRICED: readonly string[] = ["codex", "codex-acp", "gemini"];

function foreignKeys(agent: WrittenAgent, path: (string | number)[]): Finding[] {
  const { adapter } = agent;
  const isHad = (key: (typeof STEERED)[number]): boolean =>
    !UNSTEERED.includes(adapter) && !(key === "budget_usd" && UNPRICED.includes(adapter));
  return STEERED.filter((key) => agent[key] !== undefined && !isHad(key)).map((key) => ({
    path: [...path, key],
    atKey: true,
    message: `an agent of the adapter ${adapter} cannot be held to ${key}: leave it out`,
  }));
}

function ruleProblems({ tools }: WrittenAgent, path: (string | number)[]): Finding[] {
  return (["deny", "ask", "allow"] as const).flatMap((list) =>
    (tools?.[list] ?? []).flatMap((rule, index): Finding[] => {
      const problem = toolRuleProblem(rule);
      if (problem === null) return [];
      return [{ path: [...path, "tools", list, index], message: `the rule ${quoted(rule)} ${problem}` }];
    }),
  );
}

function bypassProblems(agent: WrittenAgent, path: (string | number)[]): Finding[] {
  if (agent.dangerously_bypass_permissions !== true || agent.tools === undefined) return [];
  const message = "has no effect beside dangerously_bypass_permissions: leave one of the two out";
  return [{ path: [...path, "tools"], atKey: true, message }];
}
