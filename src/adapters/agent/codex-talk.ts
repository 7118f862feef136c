/** lockstep's half of a conversation with `codex app-server`: one turn in one thread. */

import type { ToolCall } from "../../core/policy/tool-rules.ts";
import type { AgentEvent, AgentRequest, McpServer } from "../../ports/agent.ts";
import type { CommandInput } from "../../ports/processes.ts";
import { readAsk } from "./codex-answers.ts";
import { codexMcp } from "./codex-mcp.ts";
import type { CodexLine } from "./codex-stream.ts";
import { plainText } from "./plain-text.ts";
import { beginsAnew, type TurnWords } from "./turn-words.ts";
import { type Fields, object, text } from "./wire-fields.ts";

/** What happens so often, or is so long, that a transcript is better without: it is told again as a whole. */
const UNWANTED = [
  "item/agentMessage/delta",
  "item/commandExecution/outputDelta",
  "item/fileChange/outputDelta",
  "item/fileChange/patchUpdated",
  "item/plan/delta",
  "item/reasoning/summaryPartAdded",
  "item/reasoning/summaryTextDelta",
  "item/reasoning/textDelta",
  "turn/diff/updated",
];

export interface CodexWish {
  cwd: string;
  model: string | null;
  effort: string | null;
  /** For a process that finds no login of its own; it is kept nowhere. */
  apiKey: string | null;
  /** The thread that it goes on with is summed up first. */
  compacts: boolean;
  /** The thread that it goes on with; null: a new one. */
  thread: string | null;
  /** Said to it beside its own instructions. */
  system: string | null;
  /** It asks nobody. */
  isBypassed: boolean;
  permit: AgentRequest["permit"];
  /** What it is told in the thread that it goes on with, and in a new one. */
  words: TurnWords;
  /** Servers of tools that it gets with the thread. */
  mcp: readonly McpServer[];
  tell(event: AgentEvent): void;
}

/** Changes under way at once are few; of one that is forgotten it is only known that there is one. */
const CHANGES_MAX = 1_000;

type Answer = Extract<CodexLine, { kind: "answer" }>;

export class CodexTalk {
  /** Null until they are known. */
  thread: string | null = null;
  turn: string | null = null;
  /** What it would not do for us, and why. */
  refused: string | null = null;
  readonly #wish: CodexWish;
  readonly #asked = new Map<number, { then(result: Fields): void; refused(why: string): void }>();
  readonly #changes = new Map<string, string[]>();
  #input: CommandInput | null = null;
  #compaction: { thread: string; go(): void } | null = null;
  #number = 0;
  #isOver = false;

  constructor(wish: CodexWish) {
    this.#wish = wish;
  }

  /** Its program listens. */
  open(input: CommandInput): void {
    this.#input = input;
    // Told to end before it began.
    if (this.#isOver) input.end();
    const clientInfo = { name: "lockstep", title: "lockstep", version: "0" };
    const capabilities = { experimentalApi: false, requestAttestation: false, optOutNotificationMethods: UNWANTED };
    this.#ask("initialize", { clientInfo, capabilities }, () => {
      this.#send({ method: "initialized" });
      this.#logIn();
    });
  }

  /** A turn has ended: that in which it sums up its conversation comes before its own. */
  turnEnded(thread: string | null): void {
    const compaction = this.#compaction;
    if (compaction === null || compaction.thread !== thread) return;
    this.#compaction = null;
    compaction.go();
  }

  /** To one of our requests. */
  answered({ id, result, error }: Answer): void {
    const asked = this.#asked.get(id);
    this.#asked.delete(id);
    if (error === null) asked?.then(result);
    else asked?.refused(error);
  }

  /** An item of it is about to change these files: it may ask about it by no more than its id. */
  changes(item: string, paths: string[]): void {
    if (this.#changes.size >= CHANGES_MAX) this.#changes.clear();
    this.#changes.set(item, paths);
  }

  /** It asks. */
  async asks({ id, method, params }: Extract<CodexLine, { kind: "request" }>): Promise<void> {
    const ask = readAsk(method, params, this.#changes.get(text(params["itemId"]) ?? "") ?? null);
    if (ask.kind === "answer") {
      this.#send({ id, ...ask.reply });
      this.#wish.tell({ type: "note", text: ask.note });
      return;
    }
    const refusal = await this.#refusalOf(ask.calls);
    this.#send({ id, result: refusal === null ? ask.yes : ask.no });
    if (refusal !== null) this.#explain(refusal);
  }

  /** Says words in the turn under way; where there is none they are not taken. */
  steer(take: () => string[]): void {
    if (this.#isOver || this.thread === null || this.turn === null) return;
    const words = take();
    if (words.length > 0) this.#explain(words.join("\n\n"), "it could not be told so in its turn");
  }

  /** Breaks its turn off; it says when that is done. One that has not begun is over at once. */
  interrupt(): void {
    if (this.thread === null || this.turn === null) this.end();
    else this.#ask("turn/interrupt", { threadId: this.thread, turnId: this.turn }, () => {});
  }

  /** Nothing more is said: it ends by that. */
  end(): void {
    this.#isOver = true;
    this.#input?.end();
  }

  /** The first of the calls that may not be made, in words for the model; null: all may. */
  async #refusalOf(calls: readonly ToolCall[]): Promise<string | null> {
    for (const call of calls) {
      const ruling = await this.#wish.permit(call);
      if (!ruling.allow)
        return `Your call of ${call.tool} (${call.about}) was refused: ${ruling.reason}. Go on without it.`;
    }
    return null;
  }

  /** An answer to what it asks has no place for a reason: that goes into the turn under way. */
  #explain(words: string, failed = "it was not told why it may not do that"): void {
    const { thread: threadId, turn: expectedTurnId } = this;
    if (threadId === null || expectedTurnId === null) return;
    const params = { threadId, expectedTurnId, input: inputOf(words) };
    const untold = (why: string): void => this.#wish.tell({ type: "note", text: `${failed}: ${why}` });
    this.#ask("turn/steer", params, () => {}, untold);
  }

  #logIn(): void {
    const { apiKey } = this.#wish;
    if (apiKey === null) this.#openThread();
    else this.#ask("account/login/start", { type: "apiKey", apiKey }, () => this.#openThread());
  }

  #openThread(): void {
    const { thread: threadId, cwd, model, system, isBypassed, words, mcp, tell } = this.#wish;
    // It asks about each command and change, whatever its own sandbox would think of it: the rules are lockstep's.
    const approvalPolicy = isBypassed ? "never" : "untrusted";
    const own = {
      cwd,
      ...(model === null ? {} : { model }),
      ...codexMcp(mcp),
      ...(system === null ? {} : { developerInstructions: system }),
      ...{ approvalPolicy, sandbox: "danger-full-access" },
    };
    const begin = (): void => this.#ask("thread/start", own, (result) => this.#openTurn(result, words.anew));
    const beginAnew = (why: string): void => {
      tell(beginsAnew(why));
      begin();
    };
    // Without its turns, which may be longer than any line that is read.
    const resumed = { threadId, ...own, excludeTurns: true };
    if (threadId === null) begin();
    else this.#ask("thread/resume", resumed, (result) => this.#goOn(result, threadId), beginAnew);
  }

  #goOn(resumed: Fields, threadId: string): void {
    const { compacts, words, tell } = this.#wish;
    const go = (): void => this.#openTurn(resumed, words.resumed);
    if (!compacts) {
      go();
      return;
    }
    // It answers at once, and says when that is done by the end of a turn of its own.
    this.#compaction = { thread: threadId, go };
    this.#ask(
      "thread/compact/start",
      { threadId },
      () => {},
      (why) => {
        tell({ type: "note", text: `its conversation could not be summed up: ${why}` });
        this.turnEnded(threadId);
      },
    );
  }

  #openTurn(result: Fields, words: string): void {
    const thread = text(object(result["thread"])["id"]);
    this.thread = thread;
    if (thread === null) this.#refuse("it does not name its conversation");
    else this.#startTurn(thread, text(result["model"]), words);
  }

  #startTurn(thread: string, model: string | null, words: string): void {
    const session = { session: plainText(thread), model: model === null ? null : plainText(model) };
    this.#wish.tell({ type: "session", ...session });
    const { effort } = this.#wish;
    this.#ask(
      "turn/start",
      { threadId: thread, input: inputOf(words), ...(effort === null ? {} : { effort }) },
      (started) => {
        this.turn = text(object(started["turn"])["id"]);
        if (this.turn === null) this.#refuse("it does not name its turn");
      },
    );
  }

  #refuse(why: string): void {
    this.refused ??= why;
    this.end();
  }

  #ask(method: string, params: Fields, then: (result: Fields) => void, refused?: (why: string) => void): void {
    if (this.#isOver) return;
    this.#number += 1;
    this.#asked.set(this.#number, { then, refused: refused ?? ((why) => this.#refuse(`${method}: ${why}`)) });
    this.#send({ id: this.#number, method, params });
  }

  #send(message: Fields): void {
    if (!this.#isOver) this.#input?.write(`${JSON.stringify(message)}\n`);
  }
}

function inputOf(words: string): Fields[] {
  return [{ type: "text", text: words, text_elements: [] }];
}
