import { commitMessage } from "../core/task/commit-message.ts";
import type { CommitStyle } from "../ports/workspace.ts";
import type { Landing } from "./landing-work.ts";

const BY_TITLE = "{title}";
const AS_GIT_SAYS: CommitStyle = { author: null, sign: false };

/** What the commit says that lands a task, and how it is made. */
export function landingCommit({ context, record, place }: Landing): { message: string; style: CommitStyle } {
  const { row, attempt } = record;
  const { message, style } = context.settings.commits ?? { message: null, style: AS_GIT_SAYS };
  const agent = row.worker ?? attempt?.agent ?? "";
  const values = { task_id: row.id, title: row.title, agent, model: attempt?.model ?? "", plan: place.plan };
  return { message: commitMessage(message ?? BY_TITLE, { ...values, summary: attempt?.summary ?? "" }), style };
}
