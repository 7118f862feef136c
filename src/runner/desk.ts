/**
 * Where the agent reports from its shell: a server on loopback that only whoever has the attempt's own token can use.
 * It knows of nothing but this attempt, and works while no engine is alive.
 */

import { randomBytes, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Clock } from "../ports/clock.ts";
import type { RunnerSpool } from "../ports/runner.ts";
import type { Questions } from "./questions.ts";
import { parseReport, type Report } from "./report.ts";
import type { Stop } from "./stop.ts";

export interface DeskOptions {
  spool: RunnerSpool;
  questions: Questions;
  stop: Stop;
  askWaitMs: number;
  clock: Clock;
}

export interface Desk {
  /** What the agent needs to come here. */
  env: Record<string, string>;
  /** The agent's own account of its work; null as long as it gave none. */
  readonly report: string | null;
  close(): void;
}

/** A report is words, not files. */
const BODY_BYTES_MAX = 64 * 1024;

const HOST = "127.0.0.1";

export async function openDesk(options: DeskOptions): Promise<Desk> {
  const token = randomBytes(24).toString("base64url");
  const said: { report: string | null } = { report: null };
  const server = createServer((request, response) => {
    const left = new AbortController();
    response.once("close", () => left.abort());
    void serve(request, token, (report) => take(report, options, said, left.signal)).then(
      ({ status, body }) => reply(response, status, body),
      // What could not be taken is told to whoever said it, unless the connection itself broke.
      (error: Error) => reply(response, 500, { error: { message: error.message } }),
    );
  });
  const port = await listen(server);
  if (port === null) options.spool.tell({ type: "note", text: "no server on loopback: the agent cannot report" });
  return {
    env: port === null ? {} : { LOCKSTEP_RUNNER: `http://${HOST}:${port}`, LOCKSTEP_RUNNER_TOKEN: token },
    get report() {
      return said.report;
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

interface Reply {
  status: number;
  body: object;
}

async function serve(
  request: IncomingMessage,
  token: string,
  take: (report: Report) => Promise<Reply>,
): Promise<Reply> {
  if (!isSame(request.headers.authorization ?? "", `Bearer ${token}`))
    return refusal(401, "this runner does not know that token");
  const text = await bodyOf(request);
  if (text === null) return refusal(413, `a report has at most ${BODY_BYTES_MAX} bytes`);
  const report = parseReport(request.url ?? "", text);
  return "problem" in report ? refusal(400, report.problem) : take(report);
}

/** `left` aborts when whoever reports has gone. */
async function take(
  report: Report,
  options: DeskOptions,
  said: { report: string | null },
  left: AbortSignal,
): Promise<Reply> {
  switch (report.type) {
    case "progress":
      options.spool.tell({ type: "progress", text: report.text });
      return { status: 200, body: { ok: true } };
    case "done":
      said.report = report.text;
      options.spool.tell({ type: "note", text: `reported done: ${report.text}` });
      return { status: 200, body: { ok: true } };
    case "ask":
      return ask(report, options, left);
  }
}

/** Waits for a person; an agent that cannot go on without the answer is ended when none comes in time. */
async function ask(report: Extract<Report, { type: "ask" }>, options: DeskOptions, left: AbortSignal): Promise<Reply> {
  const { question, options: choices, default: fallback, can_continue } = report;
  const asked = options.questions.ask({ question, options: choices, default: fallback }, can_continue);
  if (asked === null) return refusal(429, "too many questions are open already");
  if (can_continue) return { status: 200, body: { question: asked.number, answer: null } };
  const waited = options.clock.sleep(options.askWaitMs, AbortSignal.any([options.stop.signal, left])).then(() => null);
  const answer = await Promise.race([asked.answered, waited]);
  if (left.aborted) options.questions.goOn(asked.number);
  else if (answer === null) options.stop.now("blocked", question);
  return { status: 200, body: { question: asked.number, answer } };
}

function refusal(status: number, message: string): Reply {
  return { status, body: { error: { message } } };
}

function isSame(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** Null when it is longer than a report may be. */
async function bodyOf(request: IncomingMessage): Promise<string | null> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > BODY_BYTES_MAX) return null;
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}

function reply(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

/** Null where this machine has no loopback: the attempt goes on without. */
function listen(server: Server): Promise<number | null> {
  return new Promise((resolve) => {
    server.once("error", () => resolve(null));
    server.listen(0, HOST, () => resolve((server.address() as AddressInfo).port));
  });
}
