/** What an agent is told: its task and, from the second try on, why the last one ended. */

const FAILURE_MAX = 8_000;

const DIRTY =
  "The agent before you was killed while it worked in this workspace. Check what it left before you go on: files may be half written.";

/** `isDirty`: the workspace is as a killed agent left it. */
export function promptOf(
  task: { prompt: string; title: string },
  lastFailure: string | null,
  isDirty: boolean,
): string {
  const parts = [task.prompt === "" ? task.title : task.prompt];
  if (isDirty) parts.push(DIRTY);
  if (lastFailure !== null)
    parts.push(`The last try at this task did not succeed. What the engine saw:\n\n${tail(lastFailure)}`);
  return `${parts.join("\n\n")}\n`;
}

/** Said to an agent that was given the tools of its runner. */
export const TOOLS_LINE =
  "You have tools of the MCP server `lockstep`: get_task, report_progress, ask (a person) and, once, when you have finished, report_done.";

/** What an agent without a memory is told after a person interrupted it; null: nobody has. */
export function promptOfTurn(prompt: string, message: string | null): string {
  return message === null ? prompt : `${prompt}\nYou had begun on this when you were interrupted. ${message}\n`;
}

/**
 * What an agent is told that goes on in the conversation of an earlier attempt. The whole task is in it, so that it also
 * holds where that conversation is lost.
 */
export function promptOfResumed(prompt: string, why: string): string {
  return `Your work on this task broke off: ${why}.\n${LOOK_FIRST}\n\n${prompt}`;
}

const LOOK_FIRST =
  "Look at the workspace first, before you go on: files may be half written, and may have changed since. Once more, all that you are to do:";

function tail(text: string): string {
  return text.length <= FAILURE_MAX ? text : `…${text.slice(-FAILURE_MAX)}`;
}
