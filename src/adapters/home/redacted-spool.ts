import type { RunnerSpool } from "../../ports/runner.ts";
import type { Redaction } from "../agent/redaction.ts";

/** A spool in which nothing is written that the redaction takes out. */
export function redactedSpool(spool: RunnerSpool, redaction: Redaction): RunnerSpool {
  return {
    ...spool,
    tell: (word) => spool.tell(redaction.value(word)),
    end: (end) => spool.end(redaction.value(end)),
    // What is held back was printed all the same: its agent is not silent.
    outputBytes: () => spool.outputBytes() + redaction.held,
  };
}
