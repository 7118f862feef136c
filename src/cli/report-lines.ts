import type { AgentReport } from "../core/attempt/agent-report.ts";

/** What an agent reported of its work, a line for each thing that it said. */
export function reportLines({ files, not_done, verdict, handoff }: AgentReport, summary: string): string[] {
  return [
    `reported  ${summary.trim().replaceAll(/\s*\n\s*/g, " ")}`,
    ...(verdict === null ? [] : [`verdict   ${verdict}`]),
    ...(files.length === 0 ? [] : [`files     ${files.join(", ")}`]),
    ...not_done.map((thing) => `not done  ${thing.replaceAll(/\s*\n\s*/g, " ")}`),
    ...(handoff === null ? [] : [`handoff   ${handoff}`]),
  ];
}
