/** How an agent's shell reaches the runner of its attempt: the only part of lockstep that it may speak to. */

import { request } from "node:http";
import type { Call } from "./command.ts";
import { Failure, usageFailure } from "./failure.ts";

/** The runner's answer to a report. Exit 2 outside an attempt, 1 when the runner refuses or is gone. */
export async function tellRunner<T>({ env }: Call, path: string, report: object): Promise<T> {
  const [url, token] = [env["LOCKSTEP_RUNNER"], env["LOCKSTEP_RUNNER_TOKEN"]];
  if (url === undefined || token === undefined)
    throw usageFailure(
      "there is no runner to report to",
      "This is for agents: a runner starts them with what they need.",
    );
  const { status, body } = await post(new URL(path, url), token, report);
  if (status === 200) return body as T;
  throw new Failure("report_refused", messageOf(body), "`lockstep self --help` has examples.");
}

function post(url: URL, token: string, report: object): Promise<{ status: number; body: unknown }> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const asked = request(url, { method: "POST", headers }, (response) => {
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
