/** The tools that an agent has of its runner. */

import type { ReportRights } from "../core/attempt/agent-report.ts";
import { VERDICT_WORDS } from "../core/lane/verdict.ts";
import type { Brief } from "../ports/agent.ts";
import type { Report } from "./report.ts";

export interface McpTool {
  name: string;
  description: string;
  inputSchema: object;
  /** Loaded with the first request, by clients that otherwise only load tools that are searched for. */
  _meta: { "anthropic/alwaysLoad": true };
}

/** The report that a call of a tool makes, by the tool's name. */
export const REPORTS: Readonly<Record<string, Report["type"]>> = {
  report_progress: "progress",
  report_done: "done",
  ask: "ask",
};

/** What may be said depends on the phase: what may not is not offered. */
export function toolsFor(rights: ReportRights): McpTool[] {
  const described = [
    ["get_task", "Your task as you were given it: what to do, where, how it is checked, why the last try failed.", {}],
    ["report_progress", "Say in a few words how far you are. People see the last ones.", PROGRESS],
    ["report_done", "Report your work once, when you have finished. Checks decide what it is worth.", done(rights)],
    [
      "ask",
      "Ask a person what you cannot decide, and wait for the answer, which may take minutes. If the call was cut off, ask the same again: it is the same question.",
      QUESTION,
    ],
  ] as const;
  return described.map(([name, description, properties]) => ({
    name,
    description,
    inputSchema: schema(properties, requiredOf(name, rights)),
    _meta: { "anthropic/alwaysLoad": true },
  }));
}

/** What `get_task` answers: the task of this attempt, and nothing else that there is. */
export function taskText({ attempt, task, workspace, last_failure, report }: Brief): string {
  return JSON.stringify({ attempt, task, workspace, last_failure, report }, null, 2);
}

function requiredOf(name: string, { verdict }: ReportRights): string[] {
  if (name === "report_done") return verdict ? ["summary", "verdict"] : ["summary"];
  return name === "report_progress" ? ["text"] : name === "ask" ? ["question"] : [];
}

const text = (description: string): object => ({ type: "string", description });
const texts = (description: string): object => ({ type: "array", items: { type: "string" }, description });

const PROGRESS = { text: text("A few words") };

const QUESTION = {
  question: text("What a person must decide, with all that they need to know for it"),
  options: texts("The possible answers; none: any text"),
  default: text("One of the options: the answer when nobody gives one for hours"),
  can_continue: {
    type: "boolean",
    description: "Go on without the answer. Ask the same again later to hear it",
  },
};

function done({ verdict, handoff }: ReportRights): Record<string, object> {
  const words = { type: "string", enum: VERDICT_WORDS, description: "Your answer about the work that you reviewed" };
  return {
    summary: text(verdict ? "Why, and what has to change" : "What you did, and how you know that it works"),
    files: texts("Files that you made or changed"),
    not_done: texts("What of the task is not done, one thing each"),
    ...(verdict ? { verdict: words } : {}),
    ...(handoff ? { handoff: text("The name of the agent that should go on with this task, if you know one") } : {}),
  };
}

function schema(properties: object, required: string[]): object {
  return { type: "object", properties, ...(required.length === 0 ? {} : { required }) };
}
