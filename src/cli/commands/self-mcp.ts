/**
 * The Model Context Protocol on standard input and output, passed on message by message to the runner's own server: what
 * is asked and answered is known there, and not here.
 */

import { type IncomingMessage, type RequestOptions, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { LineSplitter } from "../../adapters/agent/line-splitter.ts";
import type { CommandRun } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { placeOf, runnerIn } from "../tell-runner.ts";

/** A client that has closed its end still gets what is answered at once; for a person's answer nobody waits any more. */
const LAST_ANSWERS_MS = 1_000;

/** The protocol's own number for errors that it has no number for. */
const SERVER_ERROR = -32_000;

export const run: CommandRun = async ({ env, terminal }) => {
  const { url, token } = runnerIn(env);
  const gone = new AbortController();
  const underWay = new Set<Promise<void>>();
  const print = (message: string): void => terminal.write(Buffer.from(`${message}\n`));
  const lines = new LineSplitter((line) => {
    if (line.trim() === "") return;
    const passed: Promise<void> = pass({ line, to: placeOf(url, "/mcp"), token, gone: gone.signal, print })
      .catch((error: Error) => answerFor(line, error.message, print))
      .finally(() => underWay.delete(passed));
    underWay.add(passed);
  });
  for await (const bytes of process.stdin as AsyncIterable<Buffer>) lines.take(bytes);
  lines.end();
  await Promise.race([Promise.all(underWay), sleep(LAST_ANSWERS_MS, undefined, { ref: false })]);
  gone.abort();
  return EXIT.ok;
};

interface Passing {
  line: string;
  to: RequestOptions;
  token: string;
  gone: AbortSignal;
  print(message: string): void;
}

/** Resolves when all that the runner says to a message has been printed. Rejects when it cannot be reached. */
async function pass({ line, to, token, gone, print }: Passing): Promise<void> {
  const headers = {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const asked = request({ ...to, method: "POST", headers, signal: gone }, resolve);
    asked.on("error", reject).end(line);
  });
  const { statusCode = 0 } = response;
  if (response.headers["content-type"] === "text/event-stream") {
    const events = new LineSplitter((text) => {
      if (text.startsWith("data: ")) print(text.slice("data: ".length));
    });
    for await (const bytes of response as AsyncIterable<Buffer>) events.take(bytes);
    return;
  }
  let body = "";
  for await (const text of response.setEncoding("utf8") as AsyncIterable<string>) body += text;
  if (statusCode === 200 || statusCode === 400) print(body);
  else if (statusCode !== 202) throw new Error(refusalIn(body));
}

function refusalIn(body: string): string {
  const { error } = JSON.parse(body) as { error?: { message?: string } };
  return error?.message ?? "the runner refused the message";
}

/** A message that asked for an answer gets one, whatever became of the runner. */
function answerFor(line: string, message: string, print: (message: string) => void): void {
  const id = idIn(line);
  if (id !== undefined) print(JSON.stringify({ jsonrpc: "2.0", id, error: { code: SERVER_ERROR, message } }));
}

function idIn(line: string): unknown {
  try {
    return (JSON.parse(line) as { id?: unknown }).id;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
