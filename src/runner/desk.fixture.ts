/** A desk of its own for a test, whose people and clock the test plays. */

import { type RequestOptions, request } from "node:http";
import { onTestFinished } from "vitest";
import type { ReportRights } from "../core/attempt/agent-report.ts";
import type { Brief } from "../ports/agent.ts";
import type { Clock } from "../ports/clock.ts";
import type { RunnerSpool, RunnerWord } from "../ports/runner.ts";
import { openDesk } from "./desk.ts";
import { Notices } from "./notices.ts";
import { Questions } from "./questions.ts";
import { stopOf } from "./stop.ts";

export const WORK: ReportRights = { verdict: false, handoff: false };

export const BRIEF = {
  protocol: 1,
  attempt: "T#2",
  task: { id: "T", title: "The tax", prompt: "Add the tax.", phase: "build" },
  report: WORK,
  workspace: "/place/T",
  prompt: "Add the tax.\n",
  last_failure: "the tax was missing",
  timeout_ms: 1_000,
} as Brief;

export interface Heard {
  status: number;
  type: string;
  text: string;
}

export interface DeskWish {
  brief?: Brief;
  askWaitMs?: number;
  host?: string;
}

export async function deskOf({ brief = BRIEF, askWaitMs = 600_000, ...place }: DeskWish = {}) {
  const told: RunnerWord[] = [];
  const world = { isFull: false };
  const spool = {
    tell: (word: RunnerWord) => {
      if (world.isFull) throw new Error("no space left");
      return told.push(word);
    },
  } as unknown as RunnerSpool;
  const sleeps: { ms: number; wake(): void }[] = [];
  const clock: Clock = {
    now: () => 0,
    monotonic: () => 0,
    // Time passes when the test wakes a sleeper.
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (ms === 0) resolve();
        sleeps.push({ ms, wake: resolve });
        signal?.addEventListener("abort", () => resolve(), { once: true });
      }),
  };
  const stop = stopOf(new AbortController().signal);
  const questions = new Questions({ tell: (question) => spool.tell({ type: "ask", ...question }), changing: () => {} });
  const lockstep = "/spool/bin/lockstep";
  const notices = new Notices();
  const desk = await openDesk({ brief, lockstep, spool, questions, stop, askWaitMs, clock, notices, ...place });
  onTestFinished(() => desk.close());
  const address = desk.env["LOCKSTEP_RUNNER"]!;
  const post = (body: string, { token = desk.env["LOCKSTEP_RUNNER_TOKEN"]!, ...more }: Wish = {}) =>
    sent(placeOf(address), body, { Authorization: `Bearer ${token}`, ...more.headers }, more);
  const call = async (name: string, args: object = {}, id = 1) =>
    JSON.parse((await post(rpc(id, "tools/call", { name, arguments: args }))).text) as Answer;
  return { desk, told, world, sleeps, stop, questions, notices, post, call };
}

interface Wish {
  token?: string;
  method?: string;
  headers?: Record<string, string>;
  /** Aborts the connection. */
  signal?: AbortSignal;
  /** Hears what comes before the end. */
  hear?(text: string): void;
}

export interface Answer {
  id: unknown;
  result?: { content: { text: string }[]; isError?: boolean } & Record<string, unknown>;
  error?: { code: number; message: string };
}

export function rpc(id: unknown, method: string, params: object = {}): string {
  return JSON.stringify({ jsonrpc: "2.0", id, method, params });
}

function sent(
  place: RequestOptions,
  body: string,
  headers: Record<string, string>,
  { method = "POST", signal, hear }: Wish,
): Promise<Heard> {
  return new Promise((resolve, reject) => {
    const asked = request({ ...place, method, headers, ...(signal === undefined ? {} : { signal }) }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => {
        text += part;
        hear?.(part);
      });
      response.on("end", () =>
        resolve({ status: response.statusCode!, type: response.headers["content-type"] ?? "", text }),
      );
      response.on("error", reject);
    });
    asked.on("error", reject).end(body);
  });
}

function placeOf(address: string): RequestOptions {
  if (address.startsWith("unix:")) return { socketPath: address.slice("unix:".length), path: "/mcp" };
  const { hostname, port } = new URL(address);
  return { hostname, port, path: "/mcp" };
}
