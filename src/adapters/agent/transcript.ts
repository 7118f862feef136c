/** The only way by which an adapter writes into the transcript of its attempt: what goes there has no secrets. */

import { appendFileSync } from "node:fs";
import type { AgentRequest } from "../../ports/agent.ts";
import type { CommandOutput } from "../../ports/processes.ts";
import { Redaction } from "./redaction.ts";

/** One source of text, in the parts in which it comes: a secret may be cut between two of them. */
export class Transcript {
  readonly #file: string;
  readonly #redacted: CommandOutput;

  constructor(request: Pick<AgentRequest, "logFile" | "redaction">) {
    this.#file = request.logFile;
    this.#redacted = redactedOutput(request);
  }

  /** Throws what the system says against the file. What ends within a line may be held back until `end`. */
  write(part: string | Buffer): void {
    this.#append(this.#redacted.take(Buffer.from(part)));
  }

  /** Writes what was held back. Throws as `write` does. */
  end(): void {
    this.#append(this.#redacted.end());
  }

  #append(bytes: Buffer): void {
    appendFileSync(this.#file, bytes, { mode: 0o600 });
  }
}

/** What is to be written of the output of a program. */
export function redactedOutput({ redaction = new Redaction() }: Pick<AgentRequest, "redaction">): CommandOutput {
  return redaction.stream();
}
