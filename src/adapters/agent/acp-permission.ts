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

/**
 * The answer to an agent that asks for leave (`session/request_permission`): yes, because its workspace is the attempt's
 * own, and what leaves that is caught when the work is checked. Options are known by their kind; their names are each
 * agent's own. `isStopped`: it is being ended, and gets no leave any more.
 */
export function permissionFor(options: unknown, isStopped: boolean): AcpPermission {
  const offered = list(options).filter(({ optionId }) => text(optionId) !== null);
  const chosen = YES.flatMap((kind) => offered.filter((option) => option["kind"] === kind))[0];
  if (isStopped) return { ...NO, word: "not allowed, for it is being ended" };
  if (chosen === undefined) return { ...NO, word: "not allowed, for it offers no way to say yes" };
  const { optionId, name } = chosen;
  const word = text(name) === null ? "allowed" : `allowed (${shortText(text(name) ?? "")})`;
  return { result: { outcome: { outcome: "selected", optionId } }, is_allowed: true, word };
}

const NO = { result: { outcome: { outcome: "cancelled" } }, is_allowed: false };
