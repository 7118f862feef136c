/** What went wrong, told once: to people on stderr, to scripts as the one document on stdout. */

import { ProjectUnusable } from "../compose.ts";
import type { PlanProblem } from "../core/plan/definition.ts";
import { StoreUnavailable } from "../ports/store.ts";
import { MachineTrouble } from "../ports/workspace.ts";
import { EXIT } from "./exit-codes.ts";
import { Failure } from "./failure.ts";
import type { Terminal } from "./terminal.ts";

/** Tells of the error and gives the exit code. */
export function reportError(terminal: Terminal, error: unknown, env: NodeJS.ProcessEnv): number {
  const failure = failureOf(error);
  if (failure === null) return reportBug(terminal, error, env);
  if (terminal.json) terminal.printJson({ error: document(failure) });
  else {
    terminal.note(`${terminal.style("red", "error:")} ${failure.message}`);
    for (const problem of failure.problems ?? []) terminal.note(`  ${problemLine(problem)}`);
    terminal.note(`${terminal.style("dim", "hint:")} ${failure.hint}`);
  }
  return failure.exit;
}

/** `plan.yaml:3:5: tasks[0].id: what is wrong`, with what is known of it. */
export function problemLine({ file, line, col, path, message }: PlanProblem): string {
  const place = [file, line, col].filter((part) => part !== undefined).join(":");
  return [place, path, message].filter((part) => part !== "").join(": ");
}

function failureOf(error: unknown): Failure | null {
  if (error instanceof Failure) return error;
  if (error instanceof ProjectUnusable) {
    const exit = error.code === "not_writable" ? EXIT.refused : EXIT.usage;
    const problems = error.problems.length > 0 ? { problems: error.problems } : {};
    return new Failure(error.code, error.message, error.hint, { exit, ...problems });
  }
  if (error instanceof MachineTrouble) return new Failure("machine", error.message, MACHINE_HINT);
  if (error instanceof StoreUnavailable) return new Failure(`store_${error.code}`, error.message, error.hint);
  return null;
}

const MACHINE_HINT =
  "Free some space, files (`ulimit -n`) or memory; nothing is lost, and the same command goes on from here.";

function document({ code, message, hint, problems, candidates }: Failure): Record<string, unknown> {
  return {
    code,
    message,
    hint,
    ...(problems ? { problems: problems.map(wireProblem) } : {}),
    ...(candidates ? { candidates } : {}),
  };
}

function wireProblem({ file, line, col, path, message }: PlanProblem): Record<keyof PlanProblem, unknown> {
  return { file: file ?? null, line: line ?? null, col: col ?? null, path, message };
}

/** Our own mistake: one line, and all that is known of it only for those who ask. */
function reportBug(terminal: Terminal, error: unknown, env: NodeJS.ProcessEnv): number {
  const message = `internal error: ${error instanceof Error ? error.message : String(error)}; this is a bug of lockstep`;
  const hint = "Nothing of your plan is lost. Set LOCKSTEP_DEBUG=1 to see where, and report it.";
  if (terminal.json) terminal.printJson({ error: { code: "internal", message, hint } });
  else terminal.note(`${message}\n${hint}`);
  if (env["LOCKSTEP_DEBUG"] === "1") terminal.note(error instanceof Error ? (error.stack ?? message) : message);
  return EXIT.refused;
}
