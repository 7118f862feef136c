/** What an agent did, for people: a line for each thing that its runner told, and its words as they are. */

import type { RunnerEvent } from "../ports/runner.ts";
import type { Terminal } from "./terminal.ts";

/** Tools of one attempt of which the name is kept: who has more at once loses the oldest. */
const TOOLS_MAX = 1_000;

export class RunnerEventText {
  readonly #terminal: Pick<Terminal, "style" | "time">;
  /** Names of the tools that run, by id. */
  readonly #tools = new Map<string, string>();
  #last = 0;

  constructor(terminal: Pick<Terminal, "style" | "time">) {
    this.#terminal = terminal;
  }

  /** True for a line that was told already: one that a full disk took in part stands there twice. */
  isKnown({ n }: RunnerEvent): boolean {
    if (n <= this.#last) return true;
    this.#last = n;
    return false;
  }

  /** Null for what says nothing to people. */
  of(event: RunnerEvent): string | null {
    const { style, time } = this.#terminal;
    switch (event.type) {
      case "session":
        return style("dim", line("session", event.session, event.model ?? ""));
      case "text":
        return event.text;
      case "tool":
        if (event.id !== undefined) this.#keep(event.id, event.name);
        return style("blue", line("→", event.name, event.about));
      case "tool_ended":
        return this.#ended(event);
      case "permission": {
        const what = line(event.allowed ? "allowed" : "denied", event.tool, firstLine(event.about));
        return style(event.allowed ? "green" : "red", `${what}: ${event.why}`);
      }
      case "file":
        return line("changed", event.path);
      case "progress":
        return line("progress", event.text);
      case "limit":
        return style(
          "yellow",
          line("limit", `${event.text}${event.until === null ? "" : `, until ${time(event.until)}`}`),
        );
      case "ask":
        return style(
          "yellow",
          line("asks", event.question, event.options.length === 0 ? "" : `[${event.options.join(", ")}]`),
        );
      case "note":
        return style("dim", line("note", event.text));
      case "started":
      case "usage":
        return null;
    }
  }

  #ended({ id, said }: Extract<RunnerEvent, { type: "tool_ended" }>): string | null {
    const name = this.#tools.get(id);
    this.#tools.delete(id);
    return said === undefined ? null : this.#terminal.style("dim", line("←", name ?? "a tool", said));
  }

  #keep(id: string, name: string): void {
    this.#tools.set(id, name);
    if (this.#tools.size > TOOLS_MAX) for (const oldest of this.#tools.keys()) return void this.#tools.delete(oldest);
  }
}

function line(...parts: string[]): string {
  return parts.filter((part) => part !== "").join("  ");
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0]!;
}
