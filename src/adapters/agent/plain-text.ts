import { TAIL_CHARACTERS } from "../../ports/processes.ts";

/** Of a one-line word on something, such as what a tool was used with. */
const SHORT_CHARACTERS = 200;

/**
 * A text of an agent in a form that every store and log takes: at most 4,000 characters, no half character, no NUL. The
 * whole of it stands in the transcript.
 */
export function plainText(text: string): string {
  const cut = text.length > TAIL_CHARACTERS ? `${text.slice(0, TAIL_CHARACTERS - 1)}…` : text;
  // UTF-8 has no half surrogates: the way there and back replaces them.
  return Buffer.from(cut.replaceAll("\0", "\ufffd"), "utf8").toString("utf8");
}

/** The first line of a text that has something on it, at most 200 characters. */
export function shortText(text: string): string {
  const line = text.split("\n").find((part) => part.trim() !== "") ?? "";
  const trimmed = line.trim();
  return plainText(trimmed.length > SHORT_CHARACTERS ? `${trimmed.slice(0, SHORT_CHARACTERS - 1)}…` : trimmed);
}
