/** What a model's service says when it will not answer, in the words of each API. */

import type { Refusal } from "./script.ts";

/** The four in which agents ask: Anthropic's messages, OpenAI's responses and chat completions, Gemini's generateContent. */
export type Wire = "anthropic" | "responses" | "chat" | "gemini";

export type FailureName =
  /** Too many requests for now: worth a second try after `retry_after_s`. */
  | "too_many"
  /** The account has used up what it may use until `resets_at`. */
  | "usage_limit"
  | "auth"
  | "credit"
  | "server_error"
  | "overloaded";

export interface FailureWords {
  retry_after_s: number;
  /** Seconds since 1970. */
  resets_at: number;
}

/** A turn of a script that is `{ refuse: refusalOf(...) }` fails so each time. */
export function refusalOf(wire: Wire, name: FailureName, words: FailureWords): Refusal {
  return WIRES[wire](words)[name];
}

const refusal = (status: number, type: string, message: string): Refusal => ({ status, type, message });

const retryAfter = ({ retry_after_s }: FailureWords): Record<string, string> => ({ "retry-after": `${retry_after_s}` });

const WIRES: Record<Wire, (words: FailureWords) => Record<FailureName, Refusal>> = {
  anthropic: (words) => ({
    too_many: {
      ...refusal(429, "rate_limit_error", "This request would exceed your rate limit."),
      headers: retryAfter(words),
    },
    usage_limit: {
      ...refusal(429, "rate_limit_error", "This request would exceed your account's usage limit."),
      headers: {
        "anthropic-ratelimit-unified-status": "rejected",
        "anthropic-ratelimit-unified-reset": `${words.resets_at}`,
        "anthropic-ratelimit-unified-representative-claim": "five_hour",
        "anthropic-ratelimit-unified-5h-status": "rejected",
        "anthropic-ratelimit-unified-5h-reset": `${words.resets_at}`,
      },
    },
    auth: refusal(401, "authentication_error", "invalid x-api-key"),
    credit: refusal(400, "invalid_request_error", "Your credit balance is too low to access the API."),
    server_error: refusal(500, "api_error", "Internal server error"),
    overloaded: refusal(529, "overloaded_error", "Overloaded"),
  }),
  responses: (words) => ({
    too_many: { ...refusal(429, "rate_limit_exceeded", "Rate limit reached."), headers: retryAfter(words) },
    usage_limit: {
      ...refusal(429, "usage_limit_reached", "The usage limit has been reached"),
      more: { plan_type: "plus", resets_at: words.resets_at },
      headers: {
        "x-codex-primary-used-percent": "100",
        "x-codex-primary-window-minutes": "300",
        "x-codex-primary-reset-at": `${words.resets_at}`,
      },
    },
    auth: refusal(401, "authentication_error", "Incorrect API key provided."),
    credit: {
      ...refusal(429, "insufficient_quota", "You exceeded your current quota."),
      more: { code: "insufficient_quota" },
    },
    server_error: refusal(500, "server_error", "The server had an error."),
    overloaded: {
      ...refusal(503, "server_error", "The server is overloaded."),
      more: { code: "server_is_overloaded" },
    },
  }),
  chat: (words) => ({
    too_many: { ...refusal(429, "rate_limit_exceeded", "Rate limit reached."), headers: retryAfter(words) },
    usage_limit: {
      ...refusal(429, "usage_limit_reached", "The usage limit has been reached"),
      more: { resets_at: words.resets_at },
    },
    auth: refusal(401, "invalid_api_key", "Incorrect API key provided."),
    credit: refusal(429, "insufficient_quota", "You exceeded your current quota."),
    server_error: refusal(500, "server_error", "The server had an error."),
    overloaded: refusal(503, "server_error", "The server is overloaded."),
  }),
  gemini: ({ retry_after_s }) => ({
    too_many: {
      ...refusal(429, "RESOURCE_EXHAUSTED", "Resource has been exhausted."),
      more: {
        details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: `${retry_after_s}s` }],
      },
    },
    // Of its limits it says the kind only: one of a day is over when the day is.
    usage_limit: refusal(429, "RESOURCE_EXHAUSTED", "You exceeded your daily quota."),
    auth: refusal(401, "UNAUTHENTICATED", "API key not valid."),
    credit: refusal(403, "PERMISSION_DENIED", "Billing is not enabled for this project."),
    server_error: refusal(500, "INTERNAL", "An internal error has occurred."),
    overloaded: refusal(503, "UNAVAILABLE", "The model is overloaded."),
  }),
};
