/** Processes that hand over at the same moment: the bench of landings, small. */

import { expect, test } from "vitest";
import { landAtOnce } from "../../../bench/landings.ts";

/** A busy machine takes its time; the figure is the bench's. */
const LIMIT_MS = 240_000;

test(
  "30 tasks that 8 processes hand over at once land on one branch, each once, and no lock of the repository is told of",
  async () => {
    const { dones, refusals } = await landAtOnce({ tasks: 30, processes: 8, files: 300 });
    expect(dones).toHaveLength(30);
    // Whoever follows another's landing asks the store; a write that is refused would wake all the others.
    expect(refusals).toBe(0);
  },
  LIMIT_MS,
);
