/** lockstep's half of a conversation with an OpenCode server: one turn in one of its sessions. */

import type { Ruling, ToolCall } from "../../core/policy/tool-rules.ts";
import type { AgentEvent } from "../../ports/agent.ts";
import type { OpenCodeAnswer, OpenCodeClient } from "./opencode-client.ts";
import { openCodeModel, openCodeRules, variantProblem } from "./opencode-config.ts";
import type { OpenCodeTurnEnd } from "./opencode-end.ts";
import { callOf, type OpenCodeAsk } from "./opencode-permission.ts";
import { dropUnfinished, type OpenCodeSumming, type SummingModel, sumUp } from "./opencode-summing.ts";
import { plainText, shortText } from "./plain-text.ts";
import { beginsAnew, type TurnWords } from "./turn-words.ts";
import { type Fields, list, object, text } from "./wire-fields.ts";

export interface OpenCodeWish {
  /** `provider/model`; null: its own. */
  model: string | null;
  /** The model's variant. */
  effort: string | null;
  /** Said to it beside its own system prompt. */
  system: string | null;
  bypass: boolean;
  /** Names of the servers of tools that it was given. */
  servers: readonly string[];
  /** What a new conversation is called; one without a name would ask a model for one. */
  title: string;
  /** The conversation that it goes on with; null: a new one. */
  session: string | null;
  /** That conversation is summed up first. */
  compact: boolean;
  /** What it is told in the conversation that it goes on with, and in a new one. */
  words: TurnWords;
  tell(event: AgentEvent): void;
  permit(call: ToolCall): Promise<Ruling>;
}

/** Is told, before it is said or asked, what will be heard next. */
export interface OpenCodeListening {
  session: string | null;
  sumsUp(): OpenCodeSumming;
  prompts(): void;
}

/** Its agent, unless its settings name another. */
const USUAL_AGENT = "build";

/** Rulings that are kept for the second question about one call; whoever has more is asked again. */
const RULINGS_MAX = 1_000;

export class OpenCodeTalk {
  readonly #wish: OpenCodeWish;
  readonly #client: OpenCodeClient;
  readonly #summingMs: number | undefined;
  readonly #rulings = new Map<string, Promise<Ruling>>();
  #session: string | null = null;
  /** Why it was refused a call since it was last told something. */
  #refusal: string | null = null;
  #hasFollowed = false;
  #isBrokenOff = false;

  /** `summingMs`: how long it may take to sum its conversation up, if not as long as usual. */
  constructor(wish: OpenCodeWish, client: OpenCodeClient, summingMs?: number) {
    this.#wish = wish;
    this.#client = client;
    this.#summingMs = summingMs;
  }

  /** Opens its conversation, and says the prompt in it. Gives the end, if that is all. */
  async begin(listening: OpenCodeListening): Promise<OpenCodeTurnEnd | null> {
    const { model, words } = this.#wish;
    if (model !== null && openCodeModel(model) === null) {
      return { kind: "unfit", why: `its model is to be written as provider/model, not ${JSON.stringify(model)}` };
    }
    const rules = await this.#rules();
    if ("kind" in rules) return rules;
    const problem = await this.#variantProblem(text(object(rules.config)["model"]));
    if (problem !== null) return problem;
    const found = await this.#open(rules.permission);
    if ("kind" in found) return found;
    this.#session = found.session;
    listening.session = found.session;
    if (found.isResumed) {
      const usual = modelOf(found.model) ?? openCodeModel(text(object(rules.config)["model"]) ?? "");
      await this.#tidyUp(found.session);
      if (this.#wish.compact) await this.#sumUp(found.session, usual, listening.sumsUp());
    }
    // There is nothing to break off any more.
    if (this.#isBrokenOff) return { kind: "idle", finish: null, failure: null };
    listening.prompts();
    const end = await this.#say(found.isResumed ? words.resumed : words.anew);
    if (end === null) await this.#lookAtServers();
    return end;
  }

  /** Breaks its turn off, and with it the tools; it says when that is done. False: there is nothing to break off. */
  abort(): boolean {
    if (this.#session === null) return false;
    this.#isBrokenOff = true;
    void this.#client.ask("POST", `/session/${this.#session}/abort`);
    return true;
  }

  /** Has a call ruled on, and answers. `tool`: the name of the tool, where that is known. */
  async answer(ask: OpenCodeAsk, tool: string | null): Promise<void> {
    const call = callOf(ask, tool);
    const ruling = await this.#rule(ask, call);
    const why = ruling.allow ? null : reasonOf(ruling.reason);
    if (why !== null) this.#refusal = `${shortText(`${call.tool} ${call.about}`)}: ${why}`;
    const reply: Fields = why === null ? { reply: "once" } : { reply: "reject", message: why };
    const answer = await this.#client.ask("POST", `/permission/${ask.id}/reply`, reply);
    // Another refusal in the same conversation takes those with it that wait beside it.
    if (answer.kind === "refused") this.#note(`it no longer waited for leave to use ${call.tool}`);
  }

  /** Nobody sits there who could answer. */
  async refuseQuestion(question: string): Promise<void> {
    this.#note("it asked a person, and nobody is there");
    await this.#client.ask("POST", `/question/${question}/reject`);
  }

  /** Its turn came to rest. One that ended by a refused call goes on, once, with the reason: true. */
  goesOn(finish: string | null, failed: (end: OpenCodeTurnEnd) => void): boolean {
    if (this.#refusal === null || this.#hasFollowed || finish === "stop") return false;
    this.#hasFollowed = true;
    void this.#say(`That was not allowed: ${this.#refusal}\nGo on without it.`).then((end) => {
      if (end !== null) failed(end);
    });
    return true;
  }

  async #rules(): Promise<{ permission: Fields[]; config: unknown } | OpenCodeTurnEnd> {
    const config = await this.#client.ask("GET", "/config");
    const agents = await this.#client.ask("GET", "/agent");
    if (config.kind !== "result") return refused("its settings", config);
    if (agents.kind !== "result") return refused("its agents", agents);
    const name = text(object(config.body)["default_agent"]) ?? USUAL_AGENT;
    const agent = list(agents.body).find((each) => each["name"] === name);
    return { permission: openCodeRules(agent, this.#wish.bypass), config: config.body };
  }

  /** `usual`: the model that it takes unless it is told one. */
  async #variantProblem(usual: string | null): Promise<OpenCodeTurnEnd | null> {
    const { effort, model } = this.#wish;
    const asked = model ?? usual;
    if (effort === null || asked === null) return null;
    const told = await this.#client.ask("GET", "/config/providers");
    if (told.kind !== "result") return refused("its models", told);
    const why = variantProblem(told.body, asked, effort);
    return why === null ? null : { kind: "unfit", why };
  }

  /** One that did not start is missed by nobody but the model. */
  async #lookAtServers(): Promise<void> {
    const { servers } = this.#wish;
    const told = servers.length === 0 ? null : await this.#client.ask("GET", "/mcp");
    if (told?.kind !== "result") return;
    for (const name of servers) {
      const { status, error } = object(object(told.body)[name]);
      if (status === "connected") continue;
      const why = shortText(text(error) ?? text(status) ?? "it is not there");
      this.#note(`the MCP server ${name} did not start: ${why}`);
    }
  }

  async #tidyUp(session: string): Promise<void> {
    const why = await dropUnfinished(this.#client, session);
    if (why !== null) this.#note(`what is left of a summing-up of its conversation stays in it: ${why}`);
  }

  /** One that could not sum up its conversation goes on in it as it is. */
  async #sumUp(session: string, usual: SummingModel | null, summing: OpenCodeSumming): Promise<void> {
    const model = this.#wish.model === null ? usual : openCodeModel(this.#wish.model);
    const why =
      model === null
        ? "nobody knows by which model"
        : await sumUp(this.#client, session, model, summing, this.#summingMs);
    if (why === null || this.#isBrokenOff) return;
    this.#note(`its conversation could not be summed up, it goes on in it as it is: ${why}`);
    await this.#tidyUp(session);
  }

  /** `model`: the one that the conversation was held with, as the server tells it. */
  async #open(
    permission: Fields[],
  ): Promise<{ session: string; isResumed: boolean; model?: unknown } | OpenCodeTurnEnd> {
    const { session, title } = this.#wish;
    if (session !== null) {
      const resumed = await this.#client.ask("PATCH", `/session/${encodeURIComponent(session)}`, { permission });
      if (resumed.kind === "result") return { session, isResumed: true, model: object(resumed.body)["model"] };
      this.#wish.tell(beginsAnew(resumed.why));
    }
    const opened = await this.#client.ask("POST", "/session", { title, permission });
    if (opened.kind !== "result") return refused("a conversation", opened);
    const id = text(object(opened.body)["id"]);
    return id === null
      ? { kind: "refused", why: "it does not name its conversation" }
      : { session: plainText(id), isResumed: false };
  }

  async #say(words: string): Promise<OpenCodeTurnEnd | null> {
    const { model, effort, system } = this.#wish;
    this.#refusal = null;
    const chosen = model === null ? null : openCodeModel(model);
    const said = await this.#client.ask("POST", `/session/${this.#session}/prompt_async`, {
      parts: [{ type: "text", text: words }],
      ...(chosen === null ? {} : { model: chosen }),
      ...(effort === null ? {} : { variant: effort }),
      ...(system === null ? {} : { system }),
    });
    return said.kind === "result" ? null : refused("its prompt", said);
  }

  #rule({ call, about }: OpenCodeAsk, wanted: ToolCall): Promise<Ruling> {
    if (this.#wish.bypass) return Promise.resolve({ allow: true });
    const key = `${call}\0${about.kind}\0${about.about}`;
    const known = call === null ? undefined : this.#rulings.get(key);
    if (known !== undefined) return known;
    const ruling = this.#wish.permit(wanted).then((ruled) => this.#told(wanted, ruled));
    if (this.#rulings.size < RULINGS_MAX) this.#rulings.set(key, ruling);
    return ruling;
  }

  #told({ tool, about }: ToolCall, ruling: Ruling): Ruling {
    const why = ruling.allow ? "" : reasonOf(ruling.reason);
    this.#wish.tell({ type: "permission", tool, about: shortText(about), allowed: ruling.allow, why });
    return ruling;
  }

  #note(words: string): void {
    this.#wish.tell({ type: "note", text: words });
  }
}

/** Of a conversation: `{"id": "sonnet", "providerID": "anthropic"}`. */
function modelOf(told: unknown): SummingModel | null {
  const [providerID, modelID] = [text(object(told)["providerID"]), text(object(told)["id"])];
  return providerID === null || modelID === null ? null : { providerID, modelID };
}

/** A refusal without a reason would end its turn. */
function reasonOf(reason: string): string {
  return reason.trim() === "" ? "it is not allowed here" : reason;
}

function refused(what: string, answer: Exclude<OpenCodeAnswer, { kind: "result" }>): OpenCodeTurnEnd {
  const status = answer.kind === "refused" ? ` (${answer.status})` : "";
  return { kind: "refused", why: `its server refused ${what}${status}: ${shortText(answer.why)}` };
}
