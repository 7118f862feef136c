import type { PublishRequest } from "../ports/publisher.ts";
import type { TaskRecord } from "../ports/store.ts";
import type { EngineContext } from "./context.ts";

/** What a pull request says of a task's work: what its agent reported, the checks on that tree, what it cost. */
export async function publishReport(
  { store }: EngineContext,
  { row, definition, attempt }: TaskRecord,
  tree: string | null,
): Promise<Pick<PublishRequest, "report" | "note">> {
  const ran = (await store.checks(row.plan, row.id)).filter(
    (check) => check.attempt === row.attempts && check.tree === tree && check.outcome === "green",
  );
  const checks = ran.map(({ kind, command, ms }) => ({ name: kind, command, passed: true, duration_ms: ms }));
  const costs = (await store.attempts(row.plan, row.id)).map(({ cost_usd }) => cost_usd);
  const known = costs.filter((cost) => cost !== null);
  const cost_usd = known.length === 0 ? null : known.reduce((sum, cost) => sum + cost, 0);
  const report = { summary: attempt?.summary ?? row.title, checks, cost_usd, issue: issueOf(definition.labels) };
  // People who looked at an earlier one are told that there is something new.
  const note = row.attempts > 1 ? `Attempt ${row.attempts} stands on this branch now.` : null;
  return { report, note };
}

const ISSUE_LABEL = "issue:";

/** A label `issue:#12`, `issue:12` or `issue:https://...` names what the task is about. */
function issueOf(labels: readonly string[]): string | null {
  const named = labels.find((label) => label.startsWith(ISSUE_LABEL))?.slice(ISSUE_LABEL.length);
  if (named === undefined || named === "") return null;
  return /^\d+$/.test(named) ? `#${named}` : named;
}
