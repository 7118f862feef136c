/** What failed: each task with the first line of its reason. */

import { fitted, harmlessLine } from "./cell-text.ts";
import type { FrameOptions } from "./frame-options.ts";
import { LABEL_WIDTH } from "./frame-options.ts";
import type { PlanFacts } from "./plan-facts.ts";

export function failedLines({ plan, failed }: PlanFacts, { width, paint }: FrameOptions): string[] {
  if (failed === null) return [];
  const { tasks, more } = failed;
  const rest = more === 0 ? [] : [`and ${more} more in \`lockstep plan show ${plan} --state failed\``];
  return [...tasks.map(({ id, why }) => `${id}  ${why}`), ...rest].map((text, index) => {
    const label = (index === 0 ? "failed" : "").padEnd(LABEL_WIDTH);
    return paint("red", label) + fitted(harmlessLine(text), Math.max(0, width - LABEL_WIDTH));
  });
}
