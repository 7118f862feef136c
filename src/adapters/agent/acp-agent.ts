import type { Ruling, ToolCall } from "../../core/policy/tool-rules.ts";
import type { Agent, AgentEnd, AgentRequest, AgentSpec } from "../../ports/agent.ts";
import type { Processes } from "../../ports/processes.ts";
import { AcpBounds } from "./acp-bounds.ts";
import { ACP_LINE_BYTES_MAX, AcpConnection } from "./acp-connection.ts";
import { ACP_TIMES, type AcpTimes, type AcpTurnEnd, acpTurn } from "./acp-conversation.ts";
import { acpEnd, usageOf } from "./acp-end.ts";
import { permissionFor } from "./acp-permission.ts";
import { acpCalls } from "./acp-tools.ts";
import { AcpUpdates } from "./acp-updates.ts";
import { shortText } from "./plain-text.ts";
import { runProgram } from "./run-program.ts";
import { turnWords } from "./turn-words.ts";
import { type Fields, object, text } from "./wire-fields.ts";

/** From the end of its standard input to its end by force; bridges to other agents often do not exit by themselves. */
const EXIT_GRACE_MS = 3_000;

/** So many things that it asked for in vain are named. */
const REFUSED_MAX = 20;

/** Of an agent that tries what it may not again and again. */
const FOLLOW_UPS_MAX = 5;

/** How a turn says that it ended where a no may have been the reason. */
const ENDS_BY_NO = ["cancelled", "end_turn"];

type AcpSpec = Extract<AgentSpec, { adapter: "acp" }>;

/**
 * Drives any agent that speaks the Agent Client Protocol, version 1, on its standard input and output. Its terminal event
 * is the answer to its prompt: `acpEnd` has the rules. What it asks leave for is ruled on; one whose turn ends by a no is told
 * the reason in its next prompt, for the protocol has no place for one.
 */
export function acpAgent(
  spec: AcpSpec,
  processes: Processes,
  { exitGraceMs = EXIT_GRACE_MS, times = ACP_TIMES }: { exitGraceMs?: number; times?: AcpTimes } = {},
): Agent {
  return { run: (request) => new AcpTurn(spec, request, exitGraceMs, times).run(processes) };
}

class AcpTurn {
  readonly #spec: AcpSpec;
  readonly #request: AgentRequest;
  readonly #exitGraceMs: number;
  readonly #times: AcpTimes;
  readonly #updates: AcpUpdates;
  readonly #connection: AcpConnection;
  /** Aborts when waiting for its exit has no use any more. */
  readonly #over = new AbortController();
  readonly #refused = new Set<string>();
  readonly #bounds: AcpBounds;
  /** A no, and nothing has been said since: it may end the turn. */
  #denied: string | null = null;
  #followUps = 0;
  /** The no that it did not get over. */
  #stuck: string | null = null;
  #grace: NodeJS.Timeout | null = null;
  #isOwn = false;

  constructor(spec: AcpSpec, request: AgentRequest, exitGraceMs: number, times: AcpTimes) {
    this.#spec = spec;
    this.#request = request;
    this.#exitGraceMs = exitGraceMs;
    this.#times = times;
    this.#updates = new AcpUpdates(request.tell);
    this.#bounds = new AcpBounds({ callsMax: spec.turns_max ?? null, budgetUsd: spec.budget_usd ?? null });
    this.#connection = new AcpConnection({
      asked: (method, params) => this.#asked(method, params),
      told: (method, params) => {
        if (method === "session/update") this.#hear(object(params["update"]));
      },
      note: (words) => this.#note(words),
    });
  }

  async run(processes: Processes): Promise<AgentEnd> {
    const { signal, env } = this.#request;
    // It is asked to end in its own way first; only what has not begun is ended at once.
    if (signal.aborted) this.#over.abort();
    const program = runProgram(this.#request, processes, {
      argv: this.#spec.program,
      env,
      stdin: (input) => this.#connection.open(input),
      signal: this.#over.signal,
      lineBytesMax: ACP_LINE_BYTES_MAX,
      hear: (line, leftOut) => this.#connection.hear(line, leftOut),
    }).finally(() => this.#connection.gone());
    try {
      const [turn, exit] = await Promise.all([this.#talk(), program]);
      const { summary, cost_usd } = this.#updates;
      const [{ capped }, refused] = [this.#bounds, this.#stuck];
      const said = { turn, is_own: this.#isOwn, capped, refused, summary, cost_usd, stray: this.#connection.stray };
      return acpEnd(said, exit, Date.now());
    } finally {
      if (this.#grace !== null) clearTimeout(this.#grace);
    }
  }

  async #talk(): Promise<AcpTurnEnd> {
    const { brief, turn, signal, mcp, tell } = this.#request;
    if (turn?.compact) this.#note("its conversation cannot be summed up over ACP: it goes on in it as it is");
    const { mode, model, effort, auth, system = null, turns_max = null } = this.#spec;
    try {
      const end = await acpTurn({
        connection: this.#connection,
        wishes: { mode, model, effort },
        auth,
        workspace: brief.workspace,
        session: turn?.session ?? null,
        words: turnWords({ brief, turn }),
        steering: { system, turnsMax: turns_max },
        stop: AbortSignal.any([signal, this.#bounds.signal]),
        times: this.#times,
        mcp,
        tell,
        begin: (pricesAll) => this.#updates.begin(pricesAll),
        countsItself: () => this.#bounds.countsItself(),
        goOn: (reason) => this.#goOn(reason),
      });
      this.#isOwn = !signal.aborted;
      this.#updates.flush();
      this.#tellUsage(end);
      return end;
    } finally {
      this.#connection.end();
      this.#grace = setTimeout(() => this.#over.abort(), this.#exitGraceMs);
    }
  }

  #tellUsage(end: AcpTurnEnd): void {
    const usage = usageOf(end);
    if (usage !== null) this.#request.tell({ type: "usage", usage, cost_usd: this.#updates.cost_usd });
  }

  #hear(update: Fields): void {
    const kind = update["sessionUpdate"];
    if (kind === "agent_message_chunk" && text(object(update["content"])["text"])?.trim()) this.#denied = null;
    if (kind === "tool_call") this.#bounds.call(text(update["toolCallId"]) ?? "");
    this.#updates.hear(update);
    if (kind === "usage_update") this.#bounds.cost(this.#updates.cost_usd);
  }

  /** A no ends the turn of some: it is told why, and goes on in the same conversation. */
  #goOn(reason: string | null): string | null {
    const denied = this.#denied;
    if (denied === null || !ENDS_BY_NO.includes(reason ?? "")) return null;
    if (this.#followUps >= FOLLOW_UPS_MAX) {
      this.#stuck = denied;
      return null;
    }
    this.#denied = null;
    this.#followUps += 1;
    return denied;
  }

  async #asked(method: string, params: Fields): Promise<Fields | null> {
    if (method === "session/request_permission") return this.#permission(params);
    const name = shortText(method);
    if (!this.#refused.has(name) && this.#refused.size < REFUSED_MAX) {
      this.#refused.add(name);
      this.#note(`it asked for ${name}, which it does itself or not at all`);
    }
    return null;
  }

  async #permission(params: Fields): Promise<Fields> {
    const call = object(params["toolCall"]);
    this.#bounds.call(text(call["toolCallId"]) ?? "");
    const ruling = await this.#ruling(acpCalls(this.#updates.known(call)));
    const isStopped = this.#request.signal.aborted || this.#bounds.capped !== null;
    const { result, is_allowed, word } = permissionFor(params["options"], isStopped ? null : ruling);
    const what = this.#updates.permission(call, is_allowed);
    if (ruling.allow || isStopped) this.#note(`it asked leave for ${what}: ${word}`);
    else this.#denied = `Your call was refused (${what}): ${ruling.reason}. Go on with your task without it.`;
    return result;
  }

  /** The first no counts. */
  async #ruling(calls: readonly ToolCall[]): Promise<Ruling> {
    for (const call of calls) {
      const ruling = await this.#request.permit(call);
      if (!ruling.allow) return ruling;
    }
    return { allow: true };
  }

  #note(words: string): void {
    this.#request.tell({ type: "note", text: words });
  }
}
