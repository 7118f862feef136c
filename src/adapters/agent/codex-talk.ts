/** lockstep's half of a conversation with `codex app-server`: one turn in one thread. */

import type { AgentEvent, McpServer } from "../../ports/agent.ts";
import type { CommandInput } from "../../ports/processes.ts";
import { answerTo } from "./codex-answers.ts";
import { codexMcp } from "./codex-mcp.ts";
import type { CodexLine } from "./codex-stream.ts";
import { plainText } from "./plain-text.ts";
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
  /** The thread that it goes on with; null: a new one. */
  thread: string | null;
  /** What it is told in the thread that it goes on with, and in a new one. */
  words: { resumed: string; anew: string };
  /** Servers of tools that it gets with the thread. */
  mcp: readonly McpServer[];
  tell(event: AgentEvent): void;
}

type Answer = Extract<CodexLine, { kind: "answer" }>;

export class CodexTalk {
  /** Null until they are known. */
  thread: string | null = null;
  turn: string | null = null;
  /** What it would not do for us, and why. */
  refused: string | null = null;
  readonly #wish: CodexWish;
  readonly #asked = new Map<number, { then(result: Fields): void; refused(why: string): void }>();
  #input: CommandInput | null = null;
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

  /** To one of our requests. */
  answered({ id, result, error }: Answer): void {
    const asked = this.#asked.get(id);
    this.#asked.delete(id);
    if (error === null) asked?.then(result);
    else asked?.refused(error);
  }

  /** It asks. */
  asks({ id, method, params }: Extract<CodexLine, { kind: "request" }>): void {
    const { reply, note } = answerTo(method, params);
    this.#send({ id, ...reply });
    this.#wish.tell({ type: "note", text: note });
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

  #logIn(): void {
    const { apiKey } = this.#wish;
    if (apiKey === null) this.#openThread();
    else this.#ask("account/login/start", { type: "apiKey", apiKey }, () => this.#openThread());
  }

  #openThread(): void {
    const { thread: threadId, cwd, model, words, mcp, tell } = this.#wish;
    const given = { cwd, ...(model === null ? {} : { model }), ...codexMcp(mcp) };
    const own = { ...given, approvalPolicy: "never", sandbox: "danger-full-access" };
    const begin = (): void => this.#ask("thread/start", own, (result) => this.#openTurn(result, words.anew));
    const beginAnew = (why: string): void => {
      tell({ type: "note", text: `its conversation is not there any more, a new one begins: ${why}` });
      begin();
    };
    // Without its turns, which may be longer than any line that is read.
    const resumed = { threadId, ...own, excludeTurns: true };
    if (threadId === null) begin();
    else this.#ask("thread/resume", resumed, (result) => this.#openTurn(result, words.resumed), beginAnew);
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
    const input = [{ type: "text", text: words, text_elements: [] }];
    this.#ask("turn/start", { threadId: thread, input, ...(effort === null ? {} : { effort }) }, (started) => {
      this.turn = text(object(started["turn"])["id"]);
      if (this.turn === null) this.#refuse("it does not name its turn");
    });
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
