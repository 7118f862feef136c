import { SPENDING_BY } from "../../ports/store.ts";
import type { CommandSpec } from "../command.ts";

/** What does the work, and what it costs. */
export const AGENT_COMMANDS: readonly CommandSpec[] = [
  {
    name: "agent list",
    summary: "List the configured agents, with what is under way and what is held",
    details:
      "An agent is held while its account, its model or whoever runs that has reached a limit; agents of one account wait together. It goes on by itself when the limit is over.",
    arguments: [],
    options: [{ name: "capabilities", summary: "Show what lockstep can do with each of them" }],
    examples: [
      { command: "agent list --json", what: "for scripts" },
      { command: "agent list --capabilities", what: "what each can be held to" },
    ],
    effect: "reads",
    load: () => import("../commands/agent-list.ts"),
  },
  {
    name: "agent release",
    summary: "Let an agent start again before what holds it is over",
    details:
      "Clears every hold of the agent, its account, its model and whoever runs that: for a time that was guessed wrong, or a limit that was raised. Other agents that they held start again, too.",
    arguments: [{ name: "AGENT", required: true, summary: "The agent, as lockstep.yaml names it" }],
    options: [],
    examples: [{ command: "agent release coder", what: "try again now" }],
    effect: "writes",
    load: () => import("../commands/agent-release.ts"),
  },
  {
    name: "cost",
    summary: "Say what the attempts of a plan used, and what that cost",
    details:
      "Tokens and dollars, as the agents told them. What an agent does not price is priced by `prices` of lockstep.yaml, where its model stands there; what nobody knows is shown as unknown. Of an attempt that was cut off it is what was heard last: at least that.",
    arguments: [{ name: "PLAN", required: false, summary: "Name of a loaded plan" }],
    options: [{ name: "by", value: "WHAT", choices: SPENDING_BY, summary: "What each line is of (task)" }],
    examples: [
      { command: "cost", what: "each task, the dearest first" },
      { command: "cost --by model --json", what: "each model, for scripts" },
    ],
    effect: "reads",
    load: () => import("../commands/cost.ts"),
  },
];
