/** The code that drives one kind of agent. */

import type { ReportRights } from "../core/attempt/agent-report.ts";
import type { FailureKind } from "../core/attempt/failure.ts";
import type { Ruling, ToolCall, ToolRules } from "../core/policy/tool-rules.ts";
import type { HeldThing } from "../core/schedule/holds.ts";
import type { LimitSource, Outcome, Usage } from "../core/task/rows.ts";
import type { CommandOutput, ProcessIdentity, SandboxView } from "./processes.ts";

/** All that an attempt is given: its one task, never the plan. Written to a file that the agent may read. */
export interface Brief {
  protocol: 1;
  /** `TASK#N`: unique in its plan. */
  attempt: string;
  task: BriefTask;
  /** What it may say in the report of its work. */
  report: ReportRights;
  /** Absolute path in which to work. */
  workspace: string;
  /** What the agent is told: the same text as on its standard input. */
  prompt: string;
  /** Why the last try ended, or null at the first. */
  last_failure: string | null;
  timeout_ms: number;
}

export interface BriefTask {
  id: string;
  slug: string;
  title: string;
  prompt: string;
  phase: string;
  verify: string[];
  files_owned: string[];
  skill: string | null;
  labels: string[];
}

/** One thing that an agent was heard to do, the same for every adapter. */
export type AgentEvent =
  /** The agent's own name of its conversation, by which it can be resumed. */
  | { type: "session"; session: string; model: string | null }
  | { type: "text"; text: string }
  /** A tool that it began to use; `about` is a short word on what with. One that has an `id` runs until `tool_ended`. */
  | { type: "tool"; name: string; about: string; id?: string }
  /** `said`: the first line of what it gave back, where it did not fail and that is text. */
  | { type: "tool_ended"; id: string; said?: string }
  /** Used so far: told by an adapter of its turn, by a runner of the whole attempt. */
  | { type: "usage"; usage: Usage; cost_usd: number | null }
  /** A limit that it ran into and works around, or waits for. */
  | { type: "limit"; text: string; until: number | null }
  /** A call of a tool that was ruled on by somebody other than the agent itself. */
  | { type: "permission"; tool: string; about: string; allowed: boolean; why: string }
  /** A file that it says it changed. */
  | { type: "file"; path: string }
  /** The agent's own word on how far it is. */
  | { type: "progress"; text: string }
  /** Anything else that a person may want to know: what could not be read, what was refused. */
  | { type: "note"; text: string };

export interface AgentRequest {
  brief: Brief;
  /** Absolute path of the brief as JSON. */
  briefFile: string;
  /** The whole environment of the agent. */
  env: Record<string, string>;
  /** Takes what the agent prints, after what an earlier turn of the attempt printed. */
  logFile: string;
  /**
   * Null at the beginning of a conversation. Otherwise the last turn was interrupted, and this is what a person said; or it
   * ended, and there was something to tell; or an earlier attempt was, and this is what its next one is told.
   */
  turn: Turn | null;
  /** Aborting ends the agent and all that it started: it is asked to end, and killed after a grace. */
  signal: AbortSignal;
  /** Aborting kills it without a grace; `signal` aborts too then. */
  kill: AbortSignal;
  /** Its program runs in a pid namespace of its own where the machine has that. */
  contain: boolean;
  /** Called with the agent's process before the first instruction of the agent itself runs. */
  started(process: ProcessIdentity): Promise<void>;
  /** Hears what the agent does, in its order. */
  tell(event: AgentEvent): void;
  /** Rules on a call of a tool; it may take as long as a person takes to answer. Never rejects. */
  permit(call: ToolCall): Promise<Ruling>;
  /** Servers of tools that it can use beside its own. */
  mcp: readonly McpServer[];
  /** What it is to know while it works, for an agent that can be told in the midst of its turn. */
  notices?: {
    /** What it has not been told yet; from now on it has. */
    take(): string[];
    /** `listener` is called whenever there may be something. */
    on(listener: () => void): void;
  };
  /** Takes the secrets that are known of out of what is written; without it the well-known kinds. */
  redaction?: { stream(): CommandOutput };
  /** What its program may see; without it all that its user may. */
  sandbox?: SandboxView;
}

/** A server of tools over the Model Context Protocol. `name` is what the agent calls it by. */
export type McpServer = { name: string } & (
  | {
      url: string;
      headers: Record<string, string>;
      /** The same server as a program, for an agent that cannot reach it by HTTP. */
      program?: McpProgram;
      /** How long a call of one of its tools may take, where the agent can be told; milliseconds. */
      call_ms?: number;
    }
  | McpProgram
);

/** A server that speaks on its standard input and output. */
export interface McpProgram {
  command: string;
  args: string[];
  env: Record<string, string>;
}

/** What an agent goes on with after it was interrupted. */
export interface Turn {
  message: string;
  /** The agent's own name of the conversation that it was in; null where it told none. */
  session: string | null;
  /** That conversation is summed up first, where the agent can do that. */
  compact?: true;
  /** The message holds the whole task: in a new conversation it is all that has to be said. */
  whole?: true;
}

/** What turned an agent away. */
export interface AgentLimit {
  holds: HeldThing;
  /** When it is over, milliseconds since 1970; null: nobody knows. */
  until: number | null;
  known_from: LimitSource;
}

export interface AgentEnd {
  outcome: Exclude<Outcome, "lost" | "cancelled">;
  /** Of an agent that was ended from outside: its last words, if any. */
  error: string | null;
  summary: string | null;
  /** What was used, and its price; null where the agent does not tell. */
  usage: Usage | null;
  cost_usd: number | null;
  /** It used more than that, or may have. */
  partial?: true;
  /** What kind of failure it was; absent or null: it did not fail, or its kind is not known. */
  failure?: FailureKind | null;
  /** Of a rate limit: what it is of, where the agent says more than that there is one. */
  limit?: AgentLimit | null;
  /** It did not end when it was asked to, and was ended by force: what it was at is half done. */
  killed?: boolean;
}

/** The code that drives one kind of agent; lives in the attempt's runner. */
export interface Agent {
  /** Runs one turn of an attempt to its end, however long that takes; never rejects for what the agent did. */
  run(request: AgentRequest): Promise<AgentEnd>;
}

/** What the configuration says of an agent, in a form that can be written down for its runner. */
export type AgentSpec = (
  | /** `argv` may hold placeholders. */
  { adapter: "command"; argv: string[] }
  /** Any agent that speaks ACP. `auth`: the agent's own name of the way to log in; null elsewhere leaves the agent's own. */
  | {
      adapter: "acp";
      program: string[];
      mode: string | null;
      model: string | null;
      effort: string | null;
      auth: string | null;
    }
  /** `script`: absolute path of what it plays. */
  | { adapter: "scripted"; script: string }
  /** `program`: the command line's argv without what the adapter adds; `model` and `effort` null leave the agent's own. */
  | { adapter: "claude"; program: string[]; model: string | null; effort: string | null }
  | { adapter: "codex"; program: string[]; model: string | null; effort: string | null }
  /** `model` is `provider/model`, `effort` a variant of it. */
  | { adapter: "opencode"; program: string[]; model: string | null; effort: string | null }
) & {
  /** False for one that needs what a pid namespace takes from it (`sudo`, as a user who is not root). */
  pid_namespace?: false;
  /** It asks nobody before it uses its tools. */
  bypass?: boolean;
  /** What it may do with its tools; absent: everything. */
  tools?: ToolRules;
  /** Said to it beside its own system prompt. */
  system?: string;
  /** Servers of tools that its user gave it. */
  mcp?: McpServer[];
  /** As many turns, and US dollars, as one attempt may take; where the agent can be told. */
  turns_max?: number;
  budget_usd?: number;
  /** It runs in a sandbox of this kind. */
  sandbox?: "bwrap";
};
