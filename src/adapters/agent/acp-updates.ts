/** What an agent tells of its turn (`session/update`), in lockstep's words. */

import type { AgentEvent } from "../../ports/agent.ts";
import { plainText, shortText } from "./plain-text.ts";
import { type Fields, list, number, object, text } from "./wire-fields.ts";

/** Of one message; what is beyond it stands in the transcript only. */
const MESSAGE_CHARACTERS_MAX = 64 * 1024;

/** Tools at once, and ended ones that may still be spoken of: whoever has more loses the oldest. */
const TOOLS_MAX = 1_000;

export class AcpUpdates {
  /** Its last message. */
  summary: string | null = null;
  /** What this turn cost, where it tells that in dollars. */
  cost_usd: number | null = null;
  /** What the conversation had cost before, where it tells the price of all of it; null: not known, and so is this turn's. */
  #costBefore: number | null = 0;
  readonly #tell: (event: AgentEvent) => void;
  #isLive = false;
  #message: { id: string | null; words: string } | null = null;
  /** By id, what is known of each tool that has not ended. */
  readonly #tools = new Map<string, { fields: Fields; isTold: boolean }>();
  readonly #ended = new Set<string>();

  constructor(tell: (event: AgentEvent) => void) {
    this.#tell = tell;
  }

  /**
   * From now on it speaks of this turn; before, it told again what was said in an earlier one. `pricesAll`: its price will be
   * that of earlier turns, too.
   */
  begin(pricesAll = false): void {
    this.#isLive = true;
    this.#costBefore = this.cost_usd ?? (pricesAll ? null : 0);
    this.cost_usd = null;
  }

  hear(update: Fields): void {
    const kind = text(update["sessionUpdate"]);
    if (kind === "usage_update") this.#hearCost(object(update["cost"]));
    if (!this.#isLive) return;
    switch (kind) {
      case "agent_message_chunk":
        this.#hearWords(text(update["messageId"]), object(update["content"]));
        return;
      case "agent_thought_chunk":
        this.flush();
        return;
      case "tool_call":
      case "tool_call_update":
        this.flush();
        this.#hearTool(update);
        return;
      case "plan":
        this.flush();
        this.#hearPlan(list(update["entries"]));
        return;
      case "current_mode_update":
        this.#note(`it works in the mode ${shortText(text(update["currentModeId"]) ?? "?")} now`);
    }
  }

  /** Tells a message that has come in pieces, now that it is whole. One event a message, not one a token. */
  flush(): void {
    const words = this.#message?.words.trim() ?? "";
    this.#message = null;
    if (words === "") return;
    this.summary = plainText(words);
    this.#tell({ type: "text", text: this.summary });
  }

  /**
   * It waits for leave to use a tool, which it may not have spoken of yet, and gets it or not. Gives a word on the tool.
   * Of one that it may not use it need not say that it has ended.
   */
  permission(call: Fields, isAllowed: boolean): string {
    this.flush();
    const known = this.#know(call);
    if (known !== null && isAllowed) this.#tellTool(known.id, known.tool);
    return shortText(`${nameOf(this.known(call))} ${about(this.known(call))}`);
  }

  /** All that is known of a tool that it speaks of. */
  known(call: Fields): Fields {
    return { ...this.#tools.get(text(call["toolCallId"]) ?? "")?.fields, ...call };
  }

  #hearCost({ amount, currency }: Fields): void {
    // Other money cannot be added up.
    const total = currency === "USD" ? number(amount) : null;
    if (total !== null && this.#costBefore !== null) this.cost_usd = Math.max(0, total - this.#costBefore);
  }

  #hearWords(id: string | null, content: Fields): void {
    const words = text(content["text"]) ?? "";
    if (this.#message !== null && this.#message.id !== id) this.flush();
    this.#message ??= { id, words: "" };
    this.#message.words += words.slice(0, Math.max(0, MESSAGE_CHARACTERS_MAX - this.#message.words.length));
  }

  #hearTool(update: Fields): void {
    const known = this.#know(update);
    if (known === null) return;
    const { id, tool } = known;
    const status = text(update["status"]) ?? "";
    const hasEnded = status === "completed" || status === "failed";
    // The first word on a tool often lacks what it is used with; the second has it.
    const isFirst = update["sessionUpdate"] === "tool_call" && status === "pending";
    if (!isFirst || told(object(update["rawInput"])) !== null) this.#tellTool(id, tool);
    if (!hasEnded) return;
    if (this.#tools.delete(id)) this.#tell({ type: "tool_ended", id });
    keep(this.#ended, id);
    if (status === "failed") this.#note(`a tool failed: ${shortText(wordsOf(update))}`);
  }

  #know(update: Fields): { id: string; tool: { fields: Fields; isTold: boolean } } | null {
    const id = text(update["toolCallId"]);
    if (id === null || id === "" || this.#ended.has(id)) return null;
    const tool = this.#tools.get(id) ?? { fields: {}, isTold: false };
    for (const name of ["name", "kind", "title", "rawInput", "locations", "_meta"]) {
      if (update[name] !== undefined && update[name] !== null) tool.fields[name] = update[name];
    }
    if (this.#tools.size < TOOLS_MAX) this.#tools.set(id, tool);
    return { id: plainText(id), tool };
  }

  #tellTool(id: string, tool: { fields: Fields; isTold: boolean }): void {
    if (tool.isTold) return;
    tool.isTold = true;
    const { fields } = tool;
    this.#tell({ type: "tool", name: nameOf(fields), about: about(fields), id });
  }

  #hearPlan(entries: Fields[]): void {
    const done = entries.filter(({ status }) => status === "completed").length;
    const now = text(entries.find(({ status }) => status === "in_progress")?.["content"]);
    const next = now === null ? "" : `, now: ${shortText(now)}`;
    if (entries.length > 0) this.#note(`its plan: ${done} of ${entries.length} done${next}`);
  }

  #note(words: string): void {
    this.#tell({ type: "note", text: words });
  }
}

/** Few agents say what their tool is called; all say what kind it is. */
function nameOf(fields: Fields): string {
  return shortText(text(fields["name"]) ?? text(fields["kind"]) ?? "a tool");
}

/** The part of a tool's input that tells most, in the order of how much. */
const TELLING = ["command", "file_path", "filePath", "path", "pattern", "url", "query"];

/** A short word on what a tool is used with. */
function about(fields: Fields): string {
  const place = fields["kind"] === "execute" ? null : text(list(fields["locations"])[0]?.["path"]);
  return shortText(told(object(fields["rawInput"])) ?? place ?? text(fields["title"]) ?? "");
}

function told(input: Fields): string | null {
  return TELLING.map((name) => text(input[name])).find((value) => value !== null) ?? null;
}

function wordsOf(update: Fields): string {
  const parts = list(update["content"]).map(({ content }) => text(object(content)["text"]) ?? "");
  return parts.join("\n").trim() || text(update["rawOutput"]) || text(update["title"]) || "it does not say why";
}

function keep(ids: Set<string>, id: string): void {
  ids.add(id);
  if (ids.size > TOOLS_MAX) for (const oldest of [...ids].slice(0, ids.size - TOOLS_MAX)) ids.delete(oldest);
}
