/** A conversation of OpenCode is summed up before the prompt of a turn, so that there is room in it again. */

import type { OpenCodeClient } from "./opencode-client.ts";
import type { OpenCodeFailure } from "./opencode-failure.ts";
import { shortText } from "./plain-text.ts";
import { type Fields, list, object, text } from "./wire-fields.ts";

/** One long answer of a model. The server answers after it, and this program waits no more than 300 s for an answer. */
const SUMMING_MS = 240_000;

/** From the server's answer, or from being broken off, to the event that it is at rest: that takes milliseconds. */
const REST_MS = 5_000;

/** A summing-up is asked for in one message, and done in another. */
const MESSAGES = 2;

/** What is heard of it, from when it is asked for until the turn's own prompt is under way. */
export class OpenCodeSumming {
  /** The server answers well even where it is not: only its event says that it is. */
  isDone = false;
  /** The prompt has been said: what is heard of work from now on is the turn's own. */
  isPast = false;
  #failure: OpenCodeFailure | null = null;
  #rest!: () => void;
  readonly rested = new Promise<void>((resolve) => {
    this.#rest = resolve;
  });
  #giveUp!: () => void;
  /** Resolves when it would try on for ever so long. */
  readonly givenUp = new Promise<"given_up">((resolve) => {
    this.#giveUp = () => resolve("given_up");
  });

  get failure(): OpenCodeFailure | null {
    return this.#failure;
  }

  rests(): void {
    this.#rest();
  }

  /** The first failure counts. */
  fails(failure: OpenCodeFailure): void {
    this.#failure ??= failure;
  }

  givesUp(failure: OpenCodeFailure): void {
    this.fails(failure);
    this.#giveUp();
  }
}

/** The model that is to sum up, in the server's own words for it. */
export interface SummingModel {
  providerID: string;
  modelID: string;
}

/** Waits until it is done, or cannot be: gives the reason then. Never longer than its time. */
export async function sumUp(
  client: OpenCodeClient,
  session: string,
  model: SummingModel,
  summing: OpenCodeSumming,
  ms: number = SUMMING_MS,
): Promise<string | null> {
  const asked = client.ask("POST", `/session/${session}/summarize`, { ...model, auto: false }, ms);
  const answer = await Promise.race([asked, summing.givenUp]);
  const isUnderWay = answer === "given_up" || answer.kind === "gone";
  if (isUnderWay) await client.ask("POST", `/session/${session}/abort`);
  const wasAsked = isUnderWay || answer.kind === "result";
  if (wasAsked) await within(summing.rested, REST_MS);
  if (summing.isDone) return null;
  if (summing.failure !== null && summing.failure.kind !== null) return shortText(summing.failure.text);
  if (answer !== "given_up" && answer.kind !== "result") return shortText(answer.why);
  return "it does not say why";
}

/**
 * Takes out what is left of a summing-up that was broken off: the server would take it up again with the next prompt, and
 * leave that without an answer. Gives what went wrong, or null.
 */
export async function dropUnfinished(client: OpenCodeClient, session: string): Promise<string | null> {
  const path = `/session/${session}/message`;
  const latest = await client.ask("GET", `${path}?limit=${MESSAGES}`);
  if (latest.kind !== "result") return shortText(latest.why);
  for (const message of unfinished(list(latest.body))) {
    const dropped = await client.ask("DELETE", `${path}/${message}`);
    if (dropped.kind !== "result") return shortText(dropped.why);
  }
  return null;
}

/** Names of the messages from the one on that asks for a summing-up, unless that was done. */
function unfinished(latest: Fields[]): string[] {
  const at = latest.findIndex((message) => list(message["parts"]).some(({ type }) => type === "compaction"));
  const isDone = latest.slice(at + 1).some(({ info }) => {
    const { summary, finish, error } = object(info);
    return summary === true && finish !== undefined && error === undefined;
  });
  if (at < 0 || isDone) return [];
  return latest.slice(at).flatMap(({ info }) => text(object(info)["id"]) ?? []);
}

async function within(waited: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | null = null;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([waited, late]);
  if (timer !== null) clearTimeout(timer);
}
