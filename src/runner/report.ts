/** What an agent may report, as it comes over the wire. */

export type Report =
  | { type: "progress"; text: string }
  | { type: "done"; text: string }
  | { type: "ask"; question: string; options: string[]; default: string | null; can_continue: boolean };

/** A person reads it in one look; longer words belong in files. */
const WORDS_MAX = 4_000;
const OPTIONS_MAX = 20;

/** `path` is `/progress`, `/done` or `/ask`; `problem` says in one line what is wrong with the report. */
export function parseReport(path: string, text: string): Report | { problem: string } {
  const body = parseObject(text);
  if (body === null) return { problem: "a report is one JSON object" };
  switch (path) {
    case "/progress":
    case "/done": {
      const said = words(body["text"]);
      const type = path === "/done" ? "done" : "progress";
      return said === null ? { problem: `text must be 1 to ${WORDS_MAX} characters` } : { type, text: said };
    }
    case "/ask":
      return parseQuestion(body);
    default:
      return { problem: `there is no report ${path}` };
  }
}

function parseQuestion(body: Record<string, unknown>): Report | { problem: string } {
  const question = words(body["question"]);
  if (question === null) return { problem: `question must be 1 to ${WORDS_MAX} characters` };
  const given = body["options"] ?? [];
  const options = Array.isArray(given) ? given.map(words) : [null];
  if (
    options.length > OPTIONS_MAX ||
    options.some((option) => option === null) ||
    new Set(options).size < options.length
  )
    return { problem: `options must be at most ${OPTIONS_MAX} different texts` };
  const fallback = body["default"] ?? null;
  if (fallback !== null && !options.includes(fallback as string))
    return { problem: "default must be one of the options" };
  return {
    type: "ask",
    question,
    options: options as string[],
    default: fallback as string | null,
    can_continue: body["can_continue"] === true,
  };
}

function words(value: unknown): string | null {
  return typeof value === "string" && value.trim() !== "" && value.length <= WORDS_MAX ? value : null;
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}
