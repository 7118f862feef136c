/** An agent that is stopped while a tool of it runs: what every command line must bear. */

import { join } from "node:path";
import { expect } from "vitest";
import type { AgentEnd, AgentEvent } from "../../src/ports/agent.ts";
import type { Attempt } from "../fixtures/agent-attempt.ts";
import { bearersOf } from "../fixtures/left-processes.ts";

/** The tool of the script `waits`: it ends by no other hand. */
export const WAITS = "echo $$ > pid; exec tail -f /dev/null";

/**
 * Lets `play` run until its tool is at work, and stops it. It must then end of itself, interrupted, and leave nothing alive.
 * Gives the event that told its conversation.
 */
export async function stopAtWork(
  attempt: Attempt,
  play: (signal: AbortSignal) => Promise<AgentEnd>,
): Promise<AgentEvent & { type: "session" }> {
  const stop = new AbortController();
  const ended = play(stop.signal);
  const home = `HOME=${join(attempt.base, "home")}`;
  const tools = (): string[] => bearersOf(home).filter((line) => line.includes("tail -f"));
  await expect.poll(tools, { timeout: 60_000 }).not.toEqual([]);
  stop.abort();
  expect(await ended).toMatchObject({ outcome: "interrupted", killed: false });
  expect(bearersOf(home)).toEqual([]);
  const session = attempt.events.find(({ type }) => type === "session");
  if (session?.type !== "session") throw new Error("no session was told");
  return session;
}
