/** Retries that an agent speaks of on its standard error, for its protocol has no word for them. */

import type { AgentEvent } from "../../ports/agent.ts";
import type { AcpSaid } from "./acp-end.ts";
import { shortText } from "./plain-text.ts";

/** A login, a limit or an overload that is still there after this is no passing trouble. */
export const DECIDE_MS = 15_000;

/** Gemini CLI says so before each of its retries, which go on for minutes. */
const RETRY = /^Attempt \d+ failed with status (\d{3})\. Retrying with backoff/;

const KINDS: Record<string, NonNullable<AcpSaid["givenUp"]>["kind"] | undefined> = {
  401: "auth",
  403: "auth",
  429: "limit",
  503: "overload",
  529: "overload",
};

export class AcpRetries {
  readonly #tell: (event: AgentEvent) => void;
  readonly #decideMs: number;
  readonly #over = new AbortController();
  #givenUp: NonNullable<AcpSaid["givenUp"]> | null = null;
  #decision: NodeJS.Timeout | null = null;

  constructor(tell: (event: AgentEvent) => void, decideMs: number = DECIDE_MS) {
    this.#tell = tell;
    this.#decideMs = decideMs;
  }

  /** Aborts when it is not waited for any more. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  get givenUp(): NonNullable<AcpSaid["givenUp"]> | null {
    return this.#givenUp;
  }

  /** A line that is no message. */
  stray(line: string): void {
    const status = RETRY.exec(line)?.[1];
    if (status === undefined) return;
    const said = /"message":"([^"\\]{1,300})"/.exec(line)?.[1] ?? "";
    const words = shortText(`the model's service failed (${status})${said === "" ? "" : `: ${said}`}`);
    const kind = KINDS[status];
    const isLimit = kind === "limit" || kind === "overload";
    this.#tell(isLimit ? { type: "limit", text: words, until: null } : { type: "note", text: words });
    if (kind === undefined) return;
    this.#decision ??= setTimeout(() => {
      this.#givenUp = { kind, words };
      this.#over.abort();
    }, this.#decideMs);
  }

  /** Its model is at work again, or the turn is over. */
  close(): void {
    if (this.#decision !== null) clearTimeout(this.#decision);
    this.#decision = null;
  }
}
