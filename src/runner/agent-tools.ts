/**
 * The runner as a server of the Model Context Protocol: its tools are the reports of its own attempt, and it knows of
 * nothing else. It keeps no sessions: each request says all that it needs.
 */

import { type Fields, object, text } from "../adapters/agent/wire-fields.ts";
import type { Brief } from "../ports/agent.ts";
import {
  errorOf,
  INTERNAL_ERROR,
  INVALID_PARAMS,
  isId,
  type McpId,
  type McpMessage,
  NO_SUCH_METHOD,
  resultOf,
} from "./mcp-message.ts";
import { type McpTool, REPORTS, taskText, toolsFor } from "./mcp-tools.ts";
import type { Reports, Taken } from "./reports.ts";

/** Newest first. A client that wants another one is offered the newest. */
const VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

const INSTRUCTIONS =
  "The way from you to the people who gave you your task: report_done once when you have finished, ask what only a person can decide.";

type Request = Extract<McpMessage, { kind: "request" }>;

export class AgentTools {
  readonly #brief: Brief;
  readonly #reports: Reports;
  readonly #tools: McpTool[];
  /** Calls under way, by the client's number of them. */
  readonly #calls = new Map<McpId, AbortController>();

  constructor(brief: Brief, reports: Reports) {
    this.#brief = brief;
    this.#reports = reports;
    this.#tools = toolsFor(brief.report);
  }

  /** The answer; it may take as long as a person takes. `left` aborts when nobody waits for it any more. Never rejects. */
  async answer({ id, method, params }: Request, left: AbortSignal): Promise<object> {
    switch (method) {
      case "initialize":
        return resultOf(id, greeting(text(params["protocolVersion"])));
      case "ping":
        return resultOf(id, {});
      case "tools/list":
        return resultOf(id, { tools: this.#tools });
      case "tools/call":
        return this.#call(id, params, left);
      default:
        return errorOf(id, NO_SUCH_METHOD, `there is no method ${method.slice(0, SHOWN)}`);
    }
  }

  /** What a client says without waiting for an answer. */
  told({ method, params }: Extract<McpMessage, { kind: "notification" }>): void {
    const id = params["requestId"];
    if (method === "notifications/cancelled" && isId(id)) this.#calls.get(id)?.abort();
  }

  async #call(id: McpId, params: Fields, left: AbortSignal): Promise<object> {
    const name = text(params["name"]) ?? "";
    if (name === "get_task") return resultOf(id, said(taskText(this.#brief)));
    const type = Object.hasOwn(REPORTS, name) ? REPORTS[name] : undefined;
    if (type === undefined)
      return errorOf(id, INVALID_PARAMS, `there is no tool ${JSON.stringify(name.slice(0, SHOWN))}`);
    const cancelled = new AbortController();
    this.#calls.set(id, cancelled);
    try {
      const gone = AbortSignal.any([left, cancelled.signal]);
      return resultOf(id, toolResult(await this.#reports.take(type, object(params["arguments"]), gone)));
    } catch (error) {
      // It could not be written down: whoever reports has to know.
      return errorOf(id, INTERNAL_ERROR, (error as Error).message);
    } finally {
      if (this.#calls.get(id) === cancelled) this.#calls.delete(id);
    }
  }
}

/** Of what a client sent, so much stands in an answer. */
const SHOWN = 100;

function greeting(wanted: string | null): object {
  return {
    protocolVersion: VERSIONS.find((version) => version === wanted) ?? VERSIONS[0],
    capabilities: { tools: {} },
    serverInfo: { name: "lockstep", title: "lockstep", version: "1" },
    instructions: INSTRUCTIONS,
  };
}

/** What is refused is the model's to mend, so it is told as the tool's answer. */
function toolResult(taken: Taken): object {
  return taken.ok ? said(JSON.stringify(taken.body)) : { ...said(taken.message), isError: true };
}

function said(words: string): { content: object[] } {
  return { content: [{ type: "text", text: words }] };
}
