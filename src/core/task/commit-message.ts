/** What the commit says that lands a task: a template of the project's, and a last line by which the task is known again. */

export const MESSAGE_PLACEHOLDERS = ["task_id", "title", "agent", "model", "plan", "summary"] as const;
export type MessageValues = Record<(typeof MESSAGE_PLACEHOLDERS)[number], string>;

const TRAILER = "Lockstep-Task: ";

const PLACEHOLDER = /\{([a-z_]+)\}/g;
const TRAILER_LINE = /^[A-Za-z0-9-]+: \S/;

/** The template with its values, which are nothing but text, and the line that names the task. */
export function commitMessage(template: string, values: MessageValues): string {
  const filled = template.replaceAll(PLACEHOLDER, (match, name: string) =>
    isPlaceholder(name) ? wordsOf(values[name]) : match,
  );
  const text = filled.trim() === "" ? values.title : filled.trim();
  const lines = text.split("\n");
  // Trailers of the template and this one are one paragraph, which git reads as such.
  const joins = lines.length > 1 && TRAILER_LINE.test(lines.at(-1)!) ? "\n" : "\n\n";
  return `${text}${joins}${TRAILER}${values.task_id}\n`;
}

/** Names in braces that are no placeholders. */
export function unknownPlaceholders(template: string): string[] {
  return [...template.matchAll(PLACEHOLDER)].map((match) => match[1]!).filter((name) => !isPlaceholder(name));
}

/** The task that a commit landed, or null where it says none: then it is not of lockstep's making. */
export function landedTask(message: string): string | null {
  const line = message.trimEnd().split("\n").at(-1) ?? "";
  return line.startsWith(TRAILER) ? line.slice(TRAILER.length) : null;
}

function isPlaceholder(name: string): name is keyof MessageValues {
  return (MESSAGE_PLACEHOLDERS as readonly string[]).includes(name);
}

/** An agent's words never pass for the line that names the task. */
function wordsOf(value: string): string {
  return value
    .replaceAll("\r", "")
    .split("\n")
    .filter((line) => !line.startsWith(TRAILER))
    .join("\n")
    .trim();
}
