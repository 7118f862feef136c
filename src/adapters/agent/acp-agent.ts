import { promptOfTurn } from "../../core/attempt/prompt.ts";
import type { Agent, AgentEnd, AgentRequest, AgentSpec } from "../../ports/agent.ts";
import type { Processes } from "../../ports/processes.ts";
import { ACP_LINE_BYTES_MAX, AcpConnection } from "./acp-connection.ts";
import { ACP_TIMES, type AcpTimes, type AcpTurnEnd, acpTurn } from "./acp-conversation.ts";
import { acpEnd } from "./acp-end.ts";
import { permissionFor } from "./acp-permission.ts";
import { AcpUpdates } from "./acp-updates.ts";
import { acpUsage } from "./acp-usage.ts";
import { shortText } from "./plain-text.ts";
import { runProgram } from "./run-program.ts";
import { type Fields, object } from "./wire-fields.ts";

/** From the end of its standard input to its end by force; bridges to other agents often do not exit by themselves. */
const EXIT_GRACE_MS = 3_000;

/** So many things that it asked for in vain are named. */
const REFUSED_MAX = 20;

type AcpSpec = Extract<AgentSpec, { adapter: "acp" }>;

/**
 * Drives any agent that speaks the Agent Client Protocol, version 1, on its standard input and output. Its terminal event
 * is the answer to its prompt: `acpEnd` has the rules. It may do what it asks leave for: the workspace is the attempt's
 * own, and what leaves it is caught when the work is checked.
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
  #grace: NodeJS.Timeout | null = null;
  #isOwn = false;

  constructor(spec: AcpSpec, request: AgentRequest, exitGraceMs: number, times: AcpTimes) {
    this.#spec = spec;
    this.#request = request;
    this.#exitGraceMs = exitGraceMs;
    this.#times = times;
    this.#updates = new AcpUpdates(request.tell);
    this.#connection = new AcpConnection({
      asked: (method, params) => this.#asked(method, params),
      told: (method, params) => {
        if (method === "session/update") this.#updates.hear(object(params["update"]));
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
      const said = { turn, is_own: this.#isOwn, summary, cost_usd, stray: this.#connection.stray };
      return acpEnd(said, exit, Date.now());
    } finally {
      if (this.#grace !== null) clearTimeout(this.#grace);
    }
  }

  async #talk(): Promise<AcpTurnEnd> {
    const { brief, turn, signal, mcp, tell } = this.#request;
    const { mode, model, effort, auth } = this.#spec;
    try {
      const end = await acpTurn({
        connection: this.#connection,
        wishes: { mode, model, effort },
        auth,
        workspace: brief.workspace,
        session: turn?.session ?? null,
        words: { resumed: turn?.message ?? "", fresh: promptOfTurn(brief.prompt, turn?.message ?? null) },
        stop: signal,
        times: this.#times,
        mcp,
        tell,
        begin: () => this.#updates.begin(),
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
    const usage = end.kind === "answered" ? acpUsage(end.result, end.name) : null;
    if (usage !== null) this.#request.tell({ type: "usage", usage, cost_usd: this.#updates.cost_usd });
  }

  #asked(method: string, params: Fields): Fields | null {
    if (method === "session/request_permission") {
      const { result, is_allowed, word } = permissionFor(params["options"], this.#request.signal.aborted);
      const what = this.#updates.permission(object(params["toolCall"]), is_allowed);
      this.#note(`it asked leave for ${what}: ${word}`);
      return result;
    }
    const name = shortText(method);
    if (!this.#refused.has(name) && this.#refused.size < REFUSED_MAX) {
      this.#refused.add(name);
      this.#note(`it asked for ${name}, which it does itself or not at all`);
    }
    return null;
  }

  #note(words: string): void {
    this.#request.tell({ type: "note", text: words });
  }
}
