/** What an agent is told: its task and, from the second try on, why the last one ended. */

const FAILURE_MAX = 8_000;

export function promptOf(task: { prompt: string; title: string }, lastFailure: string | null): string {
  const parts = [task.prompt === "" ? task.title : task.prompt];
  if (lastFailure !== null)
    parts.push(`The last try at this task did not succeed. What the engine saw:\n\n${tail(lastFailure)}`);
  return `${parts.join("\n\n")}\n`;
}

function tail(text: string): string {
  return text.length <= FAILURE_MAX ? text : `…${text.slice(-FAILURE_MAX)}`;
}
