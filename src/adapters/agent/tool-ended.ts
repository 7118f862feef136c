import type { AgentEvent } from "../../ports/agent.ts";
import { shortText } from "./plain-text.ts";

/** `result`: all that the tool gave back, as far as it is text. */
export function toolEnded(id: string, result: string): AgentEvent & { type: "tool_ended" } {
  const said = shortText(result);
  return { type: "tool_ended", id, ...(said === "" ? {} : { said }) };
}
