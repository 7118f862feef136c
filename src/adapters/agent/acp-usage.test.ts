import { expect, test } from "vitest";
import { acpUsage } from "./acp-usage.ts";

test("thoughts are output, whether an agent counts them there or beside it", () => {
  const counted = { inputTokens: 100, outputTokens: 45, cachedReadTokens: 30, cachedWriteTokens: 0, thoughtTokens: 5 };
  const usage = { input: 100, output: 45, cache_read: 30, cache_write: 0 };
  expect(acpUsage({ usage: { ...counted, totalTokens: 175 } }, null)).toEqual(usage);
  expect(acpUsage({ usage: { ...counted, totalTokens: 180 } }, null)).toEqual({ ...usage, output: 50 });
});

test("an agent that counts its tokens beside the protocol is heard, too", () => {
  const _meta = { quota: { token_count: { input_tokens: 900, output_tokens: 30 } } };
  expect(acpUsage({ stopReason: "end_turn", _meta }, "gemini-cli")).toEqual({
    input: 900,
    output: 30,
    cache_read: null,
    cache_write: null,
  });
});

test("what is not told, or told of the last request only, is unknown", () => {
  expect(acpUsage({ stopReason: "cancelled" }, "gemini-cli")).toBeNull();
  expect(acpUsage({ usage: { inputTokens: "many" } }, null)).toBeNull();
  expect(acpUsage({ usage: { inputTokens: 9, outputTokens: 9 } }, "OpenCode")).toBeNull();
  expect(acpUsage({ usage: { inputTokens: -9.5, outputTokens: 9.7 } }, "other")).toEqual({
    input: 0,
    output: 9,
    cache_read: 0,
    cache_write: 0,
  });
});
