/** How an agent's shell reaches the runner of its attempt: the only part of lockstep that it may speak to. */

import { type RequestOptions, request } from "node:http";
import type { Call } from "./command.ts";
import { Failure, usageFailure } from "./failure.ts";

/** The runner's answer to a report; what the agent is to know beside it goes to standard error. Exit 2 outside an attempt, 1 when the runner refuses or is gone. */
export async function tellRunner<T>({ env, terminal }: Call, path: string, report: object): Promise<T> {
  const { url, token } = runnerIn(env);
  const { status, body } = await post(url, path, token, report);
  if (status === 200) {
    const { notices = [] } = body as { notices?: string[] };
    if (!terminal.json) for (const notice of notices) terminal.note(notice);
    return body as T;
  }
  throw new Failure("report_refused", messageOf(body), "`lockstep self --help` has examples.");
}

/** `address`: of HTTP, or `unix:` and the path of a socket. */
export function placeOf(address: string, path: string): RequestOptions {
  if (address.startsWith("unix:")) return { socketPath: address.slice("unix:".length), path };
  const { hostname, port } = new URL(address);
  return { hostname, port, path };
}

/** Where the runner of this attempt is, and what opens it. Exit 2 outside an attempt. */
export function runnerIn(env: NodeJS.ProcessEnv): { url: string; token: string } {
  const [url, token] = [env["LOCKSTEP_RUNNER"], env["LOCKSTEP_RUNNER_TOKEN"]];
  if (url !== undefined && token !== undefined) return { url, token };
  throw usageFailure(
    "there is no runner to report to",
    "This is for agents: a runner starts them with what they need.",
  );
}

function post(url: string, path: string, token: string, report: object): Promise<{ status: number; body: unknown }> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const asked = request({ ...placeOf(url, path), method: "POST", headers }, (response) => {
      const parts: string[] = [];
      response.setEncoding("utf8").on("data", (part: string) => parts.push(part));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(parts.join("")) }));
      response.on("error", fail);
    });
    const fail = (error: Error): void =>
      reject(
        new Failure(
          "runner_gone",
          `the runner cannot be reached: ${error.message}`,
          "The attempt is ending: stop working.",
        ),
      );
    asked.on("error", fail);
    asked.end(JSON.stringify(report));
  });
}

function messageOf(body: unknown): string {
  const { error } = body as { error?: { message?: string } };
  return error?.message ?? "the runner refused the report";
}
