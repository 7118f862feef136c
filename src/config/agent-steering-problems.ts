/** What is wrong with how an agent is steered: its model and effort, its rules on tools, its caps, its system prompt. */

import { toolRuleProblem } from "../core/policy/tool-rule.ts";
import { type Finding, quoted, unknownName } from "../plan-file/finding.ts";
import type { WrittenConfig } from "./config-schema.ts";

type WrittenAgent = NonNullable<WrittenConfig["agents"]>[string];

/** `path` is the agent's. */
export function steeringProblems(agent: WrittenAgent, path: (string | number)[]): Finding[] {
  const thinking = [...modelProblems(agent, path), ...effortProblems(agent, path)];
  return [...thinking, ...foreignKeys(agent, path), ...ruleProblems(agent, path), ...bypassProblems(agent, path)];
}

const PROVIDER_AND_MODEL = /^[^/]+\/./;

function modelProblems({ adapter, model }: WrittenAgent, path: (string | number)[]): Finding[] {
  if (adapter !== "opencode" && adapter !== "opencode-acp") return [];
  if (model === undefined || PROVIDER_AND_MODEL.test(model)) return [];
  const message = `must be provider/model, such as anthropic/claude-sonnet-5-5, not ${quoted(model)}`;
  return [{ path: [...path, "model"], message }];
}

/** Claude Code goes on with its usual effort when it does not know the word. Others say so themselves, by their models. */
const CLAUDE_EFFORTS: readonly string[] = ["low", "medium", "high", "xhigh", "max"];

function effortProblems({ adapter, effort }: WrittenAgent, path: (string | number)[]): Finding[] {
  if (effort === undefined) return [];
  const place = [...path, "effort"];
  if (adapter === "gemini")
    return [{ path: place, atKey: true, message: "an agent of the adapter gemini has no effort to set: leave it out" }];
  if (adapter !== "claude" || CLAUDE_EFFORTS.includes(effort)) return [];
  const message = `must be one of ${CLAUDE_EFFORTS.join(", ")}: ${unknownName("word", effort, CLAUDE_EFFORTS)}`;
  return [{ path: place, message }];
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
