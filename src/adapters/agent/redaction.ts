/** Takes secrets out of what an agent prints and says, before any of it is written. */

import { BEGINNING, redactPart, redactText, redactValue } from "../../core/policy/redact.ts";
import { type Secrets, secretsOf } from "../../core/policy/secrets.ts";

/** Bytes are looked at as one character each: so all bytes stay what they are, and patterns are of ASCII anyway. */
const BYTES = "latin1";

/** `values`: texts that must not be written either, such as those of the variables that the agent was given. */
export class Redaction {
  readonly #texts: Secrets;
  readonly #bytes: Secrets;
  /** Bytes of all outputs that are not written yet, since they may be the beginning of a secret. */
  held = 0;

  constructor(values: readonly string[] = []) {
    this.#texts = secretsOf(values);
    this.#bytes = secretsOf(values.map((value) => Buffer.from(value).toString(BYTES)));
  }

  text(text: string): string {
    return redactText(this.#texts, text);
  }

  value<T>(value: T): T {
    return redactValue(this.#texts, value);
  }

  /** Of one output, in the pieces in which it comes: what is to be written of each, and at the end. Holds back at most 1 KiB. */
  stream(): { take(bytes: Buffer): Buffer; end(): Buffer } {
    let between = BEGINNING;
    const redact = (bytes: Buffer, isLast: boolean): Buffer => {
      const part = redactPart(this.#bytes, between, bytes.toString(BYTES), isLast);
      this.held += part.between.kept.length - between.kept.length;
      between = part.between;
      return Buffer.from(part.written, BYTES);
    };
    return { take: (bytes) => redact(bytes, false), end: () => redact(Buffer.alloc(0), true) };
  }
}
