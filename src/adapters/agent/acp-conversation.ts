/** One turn with an agent over the Agent Client Protocol, from its greeting to the answer to its prompt. */

import type { AgentEvent, McpServer } from "../../ports/agent.ts";
import type { AcpAnswer, AcpConnection } from "./acp-connection.ts";
import { wantsLogin } from "./acp-error.ts";
import { acpMcp } from "./acp-mcp.ts";
import type { AcpError } from "./acp-message.ts";
import { type AcpWishes, barrierFor, modelOf, settingsFor } from "./acp-session.ts";
import { plainText } from "./plain-text.ts";
import { beginsAnew, type TurnWords } from "./turn-words.ts";
import { type Fields, list, number, object, text } from "./wire-fields.ts";

const PROTOCOL_VERSION = 1;

export interface AcpTalk {
  connection: AcpConnection;
  wishes: AcpWishes;
  /** The way to log in, by the agent's own name of it; null: it must be logged in already. */
  auth: string | null;
  workspace: string;
  /** The conversation to go on with; null: a new one. */
  session: string | null;
  /** What it is told in its own conversation, and what in a new one. */
  words: TurnWords;
  /** Aborts when somebody ends the attempt. */
  stop: AbortSignal;
  times: AcpTimes;
  /** Servers of tools that it gets with the conversation. */
  mcp: readonly McpServer[];
  tell(event: AgentEvent): void;
  /** What an agent is told when its conversation is made, where it takes that. */
  steering: AcpSteering;
  /**
   * Called just before the prompt, when all that an earlier turn said has been told again. `pricesAll`: what it tells of its
   * price is of the whole conversation, earlier turns too.
   */
  begin(pricesAll: boolean): void;
  /** It takes what it was told of how far it may go, and counts itself. */
  countsItself(): void;
  /** What it is told when a prompt was answered for this reason; null: the turn is over. */
  goOn(reason: string | null): string | null;
}

export interface AcpSteering {
  /** Said beside its own system prompt. */
  system: string | null;
  turnsMax: number | null;
}

export interface AcpTimes {
  /** For each answer before the prompt. It may be installing itself (`npx`). */
  answerMs: number;
  /** From being told to stop to the answer to its prompt: it ends its tools meanwhile. */
  cancelMs: number;
  /** For it to fall silent after it took an old conversation up again. */
  replayMs: number;
}

export const ACP_TIMES: AcpTimes = { answerMs: 300_000, cancelMs: 5_000, replayMs: 300 };

/** How a turn ended. */
export type AcpTurnEnd =
  /** The prompt was answered, and others of the turn before it. `name` is the agent's own. */
  | { kind: "answered"; result: Fields; earlier: Fields[]; name: string | null }
  | { kind: "error"; error: AcpError; method: string }
  /** It cannot be done as it is configured; `problem` says why. */
  | { kind: "unfit"; problem: string }
  | { kind: "late"; method: string }
  | { kind: "stopped" }
  | { kind: "gone" };

/** Never rejects. */
export async function acpTurn(talk: AcpTalk): Promise<AcpTurnEnd> {
  await talk.connection.opened;
  const greeting = await ask(talk, "initialize", GREETING);
  if (greeting.kind !== "result") return broken(greeting, "initialize");
  const version = number(greeting.result["protocolVersion"]);
  if (version !== PROTOCOL_VERSION) return { kind: "unfit", problem: `it speaks version ${version} of ACP, not 1` };
  const name = text(object(greeting.result["agentInfo"])["name"]);

  const opened = await openSession(talk, greeting.result);
  if (opened.kind !== "open") return opened;
  const { id, session, isResumed } = opened;
  talk.tell({ type: "session", session: plainText(id), model: talk.wishes.model ?? modelOf(session) });
  for (const setting of settingsFor(session, talk.wishes)) {
    if (setting.kind === "problem") return { kind: "unfit", problem: setting.problem };
    const set = await ask(talk, setting.method, { sessionId: id, ...setting.params });
    if (set.kind !== "result") return broken(set, setting.method);
  }

  talk.begin(isResumed && name !== null && PRICES_ALL.includes(name));
  if (isBridgeToClaude(greeting.result)) talk.countsItself();
  return promptUntilOver(talk, id, isResumed ? talk.words.resumed : freshWords(talk, greeting.result), name);
}

/** Its beginning stands before the task where there is no other place for it. */
function freshWords({ words, steering: { system } }: AcpTalk, greeting: Fields): string {
  return system === null || isBridgeToClaude(greeting) ? words.anew : `${system}\n\n${words.anew}`;
}

/** Prompts of one turn: whoever calls bounds them by `goOn`. */
async function promptUntilOver(talk: AcpTalk, id: string, first: string, name: string | null): Promise<AcpTurnEnd> {
  const { connection, stop, times } = talk;
  const earlier: Fields[] = [];
  for (let words = first; ; ) {
    const prompt = [{ type: "text", text: words }];
    // How long it may take is its runner's to say.
    const answer = await connection.request(
      "session/prompt",
      { sessionId: id, prompt },
      { stop, graceMs: times.cancelMs, stopping: () => connection.notify("session/cancel", { sessionId: id }) },
    );
    if (answer.kind !== "result") return broken(answer, "session/prompt");
    const { result } = answer;
    const next = stop.aborted ? null : talk.goOn(text(result["stopReason"]));
    if (next === null) return { kind: "answered", result, earlier, name };
    earlier.push(result);
    words = next;
  }
}

/** It hands on to Claude Code what stands in its own corner of a message. */
function isBridgeToClaude(greeting: Fields): boolean {
  return (text(object(greeting["agentInfo"])["name"]) ?? "").endsWith("claude-agent-acp");
}

/** It does its own reading, writing and running: what it asks its client for would only happen elsewhere. */
const GREETING: Fields = {
  protocolVersion: PROTOCOL_VERSION,
  clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
  clientInfo: { name: "lockstep", title: "lockstep", version: "1" },
};

/** Agents, by the name that they give, whose price is that of the whole conversation, whichever process held it. */
const PRICES_ALL: readonly string[] = ["OpenCode"];

type Opened = { kind: "open"; id: string; session: Fields; isResumed: boolean };

async function openSession(talk: AcpTalk, greeting: Fields): Promise<Opened | AcpTurnEnd> {
  const first = await takeUp(talk, greeting);
  if (!needsLogin(first)) return first;
  const methods = list(greeting["authMethods"]).flatMap(({ id }) => text(id) ?? []);
  if (talk.auth === null) {
    const known = methods.length === 0 ? "" : `, or set \`auth\` to one of ${methods.join(", ")}`;
    return { kind: "unfit", problem: `it is not logged in: log it in${known}` };
  }
  const login = await ask(talk, "authenticate", { methodId: talk.auth });
  if (login.kind !== "result") return broken(login, "authenticate");
  const second = await takeUp(talk, greeting);
  if (!needsLogin(second)) return second;
  return { kind: "unfit", problem: `it is not logged in, though it was by \`auth\` ${talk.auth}: log it in` };
}

function needsLogin(opened: Opened | AcpTurnEnd): boolean {
  return opened.kind === "error" && wantsLogin(opened.error);
}

/** The old conversation if there is one and the agent can go on with it; otherwise a new one. */
async function takeUp(talk: AcpTalk, greeting: Fields): Promise<Opened | AcpTurnEnd> {
  if (talk.session !== null) {
    const old = await resume(talk, greeting, talk.session);
    if (old !== null) return old;
  }
  const method = "session/new";
  const answer = await ask(talk, method, { ...placeOf(talk, greeting), ...steeringFor(talk, greeting) });
  if (answer.kind !== "result") return broken(answer, method);
  const id = text(answer.result["sessionId"]);
  if (id === null) return { kind: "unfit", problem: "it gave its conversation no name" };
  return { kind: "open", id, session: answer.result, isResumed: false };
}

function steeringFor({ steering: { system, turnsMax } }: AcpTalk, greeting: Fields): Fields {
  if (!isBridgeToClaude(greeting) || (system === null && turnsMax === null)) return {};
  const options = turnsMax === null ? {} : { claudeCode: { options: { maxTurns: turnsMax } } };
  return { _meta: { ...options, ...(system === null ? {} : { systemPrompt: { append: system } }) } };
}

/** Null when there is no way back to the old conversation, which is told. */
async function resume(talk: AcpTalk, greeting: Fields, id: string): Promise<Opened | AcpTurnEnd | null> {
  const abilities = object(greeting["agentCapabilities"]);
  const canResume = typeof object(abilities["sessionCapabilities"])["resume"] === "object";
  const method = canResume ? "session/resume" : abilities["loadSession"] === true ? "session/load" : null;
  if (method === null) return lost(talk, "it cannot take one up again");
  const answer = await ask(talk, method, { sessionId: id, ...placeOf(talk, greeting) });
  if (answer.kind === "error" && !wantsLogin(answer.error)) return lost(talk, plainText(answer.error.message));
  if (answer.kind !== "result") return broken(answer, method);
  if (!canResume) await replayed(talk, id, answer.result);
  return { kind: "open", id, session: answer.result, isResumed: true };
}

function lost(talk: AcpTalk, why: string): null {
  talk.tell(beginsAnew(why));
  return null;
}

/** Some tell the old conversation after they have said that it is loaded: none of that is what it does now. */
async function replayed(talk: AcpTalk, id: string, session: Fields): Promise<void> {
  const barrier = barrierFor(session);
  if (barrier !== null) await ask(talk, barrier.method, { sessionId: id, ...barrier.params });
  await talk.connection.quiet(talk.times.replayMs);
}

function placeOf({ workspace, mcp, tell }: AcpTalk, greeting: Fields): Fields {
  return { cwd: workspace, mcpServers: acpMcp(mcp, greeting, (text) => tell({ type: "note", text })) };
}

function ask({ connection, stop, times }: AcpTalk, method: string, params: Fields): Promise<AcpAnswer> {
  return connection.request(method, params, { stop, msMax: times.answerMs });
}

function broken(answer: Exclude<AcpAnswer, { kind: "result" }>, method: string): AcpTurnEnd {
  return answer.kind === "error" || answer.kind === "late" ? { ...answer, method } : answer;
}
