import { HOSTS } from "../../config/availability.ts";
import type { CommandSpec } from "../command.ts";

export const WORK_COMMANDS: readonly CommandSpec[] = [
  {
    name: "run",
    summary: "Carry a plan to its end",
    details:
      "Several tasks at once: each is claimed, worked on by its agent in a place of its own, checked and landed. Ctrl-C waits for the agents under way, a second one ends them. The next run carries on, after a crash too: agents that are still at work are attended. While another process carries the run, this one follows it, ends as it does, and takes over when it dies; Ctrl-C then ends only this one. On a terminal the progress is drawn in place.",
    arguments: [{ name: "PLAN|FILE", required: false, summary: "A loaded plan, or a plan file that is loaded first" }],
    options: [
      { name: "agent", value: "NAME", summary: "The agent of tasks that name none" },
      { name: "max-tasks", value: "N", summary: "Start at most N attempts" },
      {
        name: "host",
        value: "NAME",
        choices: HOSTS,
        summary: "What holds the agents; tmux shows each of them, for `attach`",
      },
      { name: "jobs", value: "N", summary: "Attempts at once; in place there is only ever one" },
      { name: "no-wait", summary: "End, parked, rather than wait for a time to come" },
      { name: "max-wait", value: "DURATION", summary: "Wait at most so long for a time to come (24h)" },
      { name: "stay", summary: "Stay when nothing is left to do, for what is loaded or answered later" },
      { name: "dry-run", summary: "Say what would start and why the rest waits; change nothing" },
    ],
    examples: [
      { command: "run", what: "carry the plan to its end" },
      { command: "run plan.yaml --agent script", what: "load the file, then run it with the agent script" },
      { command: "run --max-tasks 1", what: "one attempt, then stop" },
      { command: "run --dry-run", what: "see what would happen" },
    ],
    effect: "writes",
    load: () => import("../commands/run.ts"),
  },
  {
    name: "next",
    summary: "Show the one task that a worker would be given now",
    details: "Never more than that one, and nothing of the rest of the plan. Nothing ready is no error.",
    arguments: [],
    options: [],
    examples: [{ command: "next --json", what: "the task as one JSON object, or null" }],
    effect: "reads",
    load: () => import("../commands/next.ts"),
  },
  {
    name: "claim",
    summary: "Take a task, as a worker outside lockstep",
    details: "Prints a token: who holds it may say `task done` or `task fail`. A claim that is not renewed runs out.",
    arguments: [{ name: "TASK", required: false, summary: "The task; without it, the next one" }],
    options: [
      { name: "ttl", value: "DURATION", summary: "How long the claim holds (30m)" },
      { name: "as", value: "NAME", summary: "The worker's name, for the record" },
    ],
    examples: [
      { command: "claim --json", what: "take the next task" },
      { command: "claim F-001 --ttl 2h --as anna", what: "take this one for two hours" },
    ],
    effect: "writes",
    load: () => import("../commands/claim.ts"),
  },
];
