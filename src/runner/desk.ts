/**
 * Where the agent reports, from its shell or by tools: a server on loopback that only whoever has the attempt's own token
 * can use. It knows of nothing but this attempt, and works while no engine is alive.
 */

import { randomBytes, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Brief, McpProgram, McpServer } from "../ports/agent.ts";
import type { Clock } from "../ports/clock.ts";
import type { RunnerSpool } from "../ports/runner.ts";
import { AgentTools } from "./agent-tools.ts";
import { OWN_SERVER } from "./given-tools.ts";
import { listen } from "./listen.ts";
import { serveMcp } from "./mcp-http.ts";
import type { Notices } from "./notices.ts";
import type { Questions } from "./questions.ts";
import type { Report } from "./report.ts";
import { type DoneReport, Reports } from "./reports.ts";
import type { Stop } from "./stop.ts";

export interface DeskOptions {
  brief: Brief;
  /** The program by which the agent reaches its runner where it cannot by HTTP. */
  lockstep: string;
  spool: RunnerSpool;
  questions: Questions;
  stop: Stop;
  askWaitMs: number;
  notices: Pick<Notices, "take">;
  clock: Clock;
  /** Where it is served by HTTP; on loopback unless given. */
  host?: string;
  /** The agent has no network: a folder that it sees, for a socket. */
  socketIn?: string | null;
}

export interface Desk {
  /** What the agent needs to come here from its shell. */
  env: Record<string, string>;
  /** Its tools; null where nothing on this machine can be reached. */
  mcp: McpServer | null;
  /** The agent's own account of its work; null as long as it gave none. */
  readonly done: DoneReport | null;
  close(): Promise<void>;
}

/** A report is words, not files. */
const BODY_BYTES_MAX = 64 * 1024;

/** What an answer of a person takes on its way beyond the time that it is waited for. */
const CALL_SPARE_MS = 60_000;

export async function openDesk({ brief, lockstep, ...options }: DeskOptions): Promise<Desk> {
  const token = randomBytes(24).toString("base64url");
  const reports = new Reports({ ...options, rights: brief.report });
  const tools = new AgentTools(brief, reports);
  const server = createServer((request, response) => {
    const left = new AbortController();
    response.once("close", () => left.abort());
    serve(request, response, token, { reports, tools, clock: options.clock, left: left.signal }).catch((error: Error) =>
      // What could not be taken is told to whoever said it, unless the connection itself broke.
      refuse(response, 500, error.message),
    );
  });
  const listening = await listen(server, options);
  if (listening === null)
    options.spool.tell({ type: "note", text: "no server can be reached on this machine: the agent cannot report" });
  const env = listening === null ? {} : { LOCKSTEP_RUNNER: listening.address, LOCKSTEP_RUNNER_TOKEN: token };
  const program = { command: lockstep, args: ["self", "mcp"], env };
  return {
    env,
    mcp: listening === null ? null : serverAt(listening.address, token, program, options.askWaitMs + CALL_SPARE_MS),
    get done() {
      return reports.done;
    },
    close: async () => listening?.close(),
  };
}

/** By HTTP where that can be, and by a program that passes everything on. */
function serverAt(address: string, token: string, program: McpProgram, call_ms: number): McpServer {
  if (!address.startsWith("http:")) return { name: OWN_SERVER, ...program };
  const headers = { Authorization: `Bearer ${token}` };
  return { name: OWN_SERVER, url: `${address}/mcp`, headers, program, call_ms };
}

interface Desks {
  reports: Reports;
  tools: AgentTools;
  clock: Clock;
  /** Aborts when whoever reports has gone. */
  left: AbortSignal;
}

/** The reports of a shell, by their paths. */
const PATHS: Readonly<Record<string, Report["type"]>> = { "/progress": "progress", "/done": "done", "/ask": "ask" };

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  token: string,
  { reports, tools, clock, left }: Desks,
): Promise<void> {
  const { url: path = "", method = "", headers } = request;
  if (!isSame(headers.authorization ?? "", `Bearer ${token}`))
    return refuse(response, 401, "this runner does not know that token");
  const type = Object.hasOwn(PATHS, path) ? PATHS[path] : undefined;
  if (path !== "/mcp" && type === undefined) return refuse(response, 404, `there is no report ${path.slice(0, 100)}`);
  const body = await bodyOf(request);
  if (body === null) return refuse(response, 413, `a report has at most ${BODY_BYTES_MAX} bytes`);
  if (type === undefined) return serveMcp({ method, accept: headers.accept ?? "", body, response, left }, tools, clock);
  const taken = await reports.take(type, parsed(body), left);
  return taken.ok ? reply(response, 200, taken.body) : refuse(response, taken.status, taken.message);
}

function refuse(response: ServerResponse, status: number, message: string): void {
  if (response.headersSent) response.destroy();
  else reply(response, status, { error: { message } });
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

/** Undefined when it is no JSON. */
function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function reply(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
