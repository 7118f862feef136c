import type { PublishRefusal, PublishRefusalCode } from "../../ports/publisher.ts";

/** What the same request may get over by itself, later. */
const RETRIABLE: ReadonlySet<PublishRefusalCode> = new Set(["conflict", "rate_limited", "unavailable"]);

/** Nobody reads more of it, and what a server says has no bound of its own. */
const TEXT_LENGTH_MAX = 2_000;

export function refusal(
  code: PublishRefusalCode,
  text: string,
  next: string,
  { retriable = RETRIABLE.has(code), until = null }: { retriable?: boolean; until?: number | null } = {},
): PublishRefusal {
  return { code, text: text.slice(0, TEXT_LENGTH_MAX), next, retriable, until };
}

export function isRefusal(answer: unknown): answer is PublishRefusal {
  return typeof answer === "object" && answer !== null && "code" in answer && "next" in answer && "until" in answer;
}

export const LATER = "Nothing to do: it is tried again.";
