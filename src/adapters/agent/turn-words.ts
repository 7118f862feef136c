/** What an agent is told at the beginning of a turn, whichever agent it is. */

import { promptOfTurn } from "../../core/attempt/prompt.ts";
import type { AgentEvent, AgentRequest } from "../../ports/agent.ts";
import { shortText } from "./plain-text.ts";

export interface TurnWords {
  /** In the conversation that it goes on with, where it knows its task. */
  resumed: string;
  /** In a new one. */
  anew: string;
}

export function turnWords({ brief, turn }: Pick<AgentRequest, "brief" | "turn">): TurnWords {
  if (turn === null) return { resumed: brief.prompt, anew: brief.prompt };
  const { message, whole = false } = turn;
  return { resumed: message, anew: whole ? message : promptOfTurn(brief.prompt, message) };
}

/** The conversation that it was to go on with is lost. A new one begins, once, in the same attempt. */
export function beginsAnew(why: string): AgentEvent {
  return { type: "note", text: `its conversation is not there any more: it begins anew (${shortText(why)})` };
}
