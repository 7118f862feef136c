/** lockstep's half of a conversation with Claude Code: messages one after the other, and rulings on calls of its tools. */

import type { AgentRequest } from "../../ports/agent.ts";
import type { CommandInput } from "../../ports/processes.ts";
import type { ClaudeAsks } from "./claude-stream.ts";
import { claudeCall } from "./claude-tools.ts";
import { type Fields, object, text } from "./wire-fields.ts";

/** Our name of the hook that has every call asked about. */
const HOOK = "lockstep";

/** It asks its user with this; there is none. */
const ASKS_USER = "AskUserQuestion";
const NO_USER = "nobody sits before you: decide it yourself, or ask a person with `lockstep self ask`";

export interface ClaudeWish {
  /** Each is said when the one before has had its result. */
  messages: readonly string[];
  /** Said to it beside its own system prompt. */
  system: string | null;
  /** It asks nobody: nothing of this is set up. */
  isBypassed: boolean;
  permit: AgentRequest["permit"];
}

export class ClaudeTalk {
  readonly #wish: ClaudeWish;
  #input: CommandInput | null = null;
  #said = 0;
  #number = 0;
  #isOver = false;

  constructor(wish: ClaudeWish) {
    this.#wish = wish;
  }

  /** Its program listens. */
  open(input: CommandInput): void {
    this.#input = input;
    // Told to end before it began.
    if (this.#isOver) input.end();
    const { system, isBypassed } = this.#wish;
    // By itself it asks about what its own mode and its user's settings do not allow already.
    const hooks = isBypassed ? {} : { PreToolUse: [{ matcher: null, hookCallbackIds: [HOOK] }] };
    this.#ask({ subtype: "initialize", hooks, ...(system === null ? {} : { appendSystemPrompt: system }) });
    this.goOn();
  }

  /** Says the next message; false when there is none. */
  goOn(): boolean {
    const message = this.#wish.messages[this.#said];
    if (message === undefined) return false;
    this.#said += 1;
    const content = [{ type: "text", text: message }];
    this.#send({ type: "user", message: { role: "user", content }, parent_tool_use_id: null, session_id: "" });
    return true;
  }

  /** It asks, and waits for the answer: every request gets one. */
  async asks({ id, subtype, request }: ClaudeAsks): Promise<void> {
    switch (subtype) {
      case "hook_callback":
        return this.#answer(id, {
          hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "ask" },
        });
      case "can_use_tool":
        return this.#answer(id, await this.#ruling(request));
      default:
        return this.#refuse(id, `${subtype} is not had here`);
    }
  }

  /** Of a request that was too long to be read. */
  cannotJudge(id: string): void {
    this.#answer(id, { behavior: "deny", message: "the call is too long to be judged: make it smaller" });
  }

  /** Breaks its turn off; its result says when that is done. */
  interrupt(): void {
    this.#ask({ subtype: "interrupt" });
  }

  /** Nothing more is said: it ends by that. */
  end(): void {
    this.#isOver = true;
    this.#input?.end();
  }

  async #ruling(request: Fields): Promise<Fields> {
    const input = object(request["input"]);
    const tool = text(request["tool_name"]) ?? "";
    if (tool === ASKS_USER) return { behavior: "deny", message: NO_USER };
    const ruling = await this.#wish.permit(claudeCall(tool, input));
    return ruling.allow ? { behavior: "allow", updatedInput: input } : { behavior: "deny", message: ruling.reason };
  }

  #ask(request: Fields): void {
    this.#number += 1;
    this.#send({ type: "control_request", request_id: `lockstep-${this.#number}`, request });
  }

  #answer(request_id: string, response: Fields): void {
    this.#send({ type: "control_response", response: { subtype: "success", request_id, response } });
  }

  #refuse(request_id: string, error: string): void {
    this.#send({ type: "control_response", response: { subtype: "error", request_id, error } });
  }

  #send(message: Fields): void {
    if (!this.#isOver) this.#input?.write(`${JSON.stringify(message)}\n`);
  }
}
