import type { Ruling } from "../../core/policy/tool-rules.ts";
import { shortText } from "./plain-text.ts";
import { type Fields, list, text } from "./wire-fields.ts";

export interface AcpPermission {
  result: Fields;
  is_allowed: boolean;
  /** What was answered, for people. */
  word: string;
}

/** Each time anew rather than for ever: an agent that is let do something once and for all changes its mode for it. */
const YES = ["allow_once", "allow_always"];
const NO = ["reject_once", "reject_always"];

/**
 * The answer to an agent that asks for leave (`session/request_permission`). Options are known by their kind; their names
 * are each agent's own. `ruling` null: it is being ended, and gets no leave any more.
 */
export function permissionFor(options: unknown, ruling: Ruling | null): AcpPermission {
  const offered = list(options).filter(({ optionId }) => text(optionId) !== null);
  const optionOf = (kinds: readonly string[]): Fields | undefined =>
    kinds.flatMap((kind) => offered.filter((option) => option["kind"] === kind))[0];
  if (ruling === null) return { ...CANCELLED, word: "not allowed, for it is being ended" };
  if (!ruling.allow) {
    const refusal = optionOf(NO);
    const word = `not allowed: ${shortText(ruling.reason)}`;
    return refusal === undefined ? { ...CANCELLED, word } : { result: selected(refusal), is_allowed: false, word };
  }
  const chosen = optionOf(YES);
  if (chosen === undefined) return { ...CANCELLED, word: "not allowed, for it offers no way to say yes" };
  const name = text(chosen["name"]);
  return {
    result: selected(chosen),
    is_allowed: true,
    word: name === null ? "allowed" : `allowed (${shortText(name)})`,
  };
}

function selected({ optionId }: Fields): Fields {
  return { outcome: { outcome: "selected", optionId } };
}

const CANCELLED = { result: { outcome: { outcome: "cancelled" } }, is_allowed: false };
