/** Runs one of the programs beside this file in a process of its own. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

export function startChild(program: string, ...argv: string[]) {
  const script = fileURLToPath(new URL(program, import.meta.url));
  const child = spawn(process.execPath, ["--import", "tsx", script, ...argv], { stdio: ["pipe", "pipe", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

/** Waits for the end and answers what the program printed; throws what it said when it failed. */
export async function runChild(program: string, ...argv: string[]): Promise<string> {
  const child = startChild(program, ...argv);
  let output = "";
  let errors = "";
  child.stdout.setEncoding("utf8").on("data", (text) => (output += text));
  child.stderr.setEncoding("utf8").on("data", (text) => (errors += text));
  const [code] = await once(child, "close");
  if (code !== 0 || errors !== "") throw new Error(`${program} ended with ${code}: ${errors}`);
  return output;
}
