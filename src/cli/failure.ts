/** What a command says when it is refused: code, what is wrong, what to do next, and the exit code. */

import type { Rejection } from "../core/errors.ts";
import type { PlanProblem } from "../core/plan/definition.ts";
import { EXIT } from "./exit-codes.ts";

export interface FailureDetails {
  exit?: number;
  problems?: readonly PlanProblem[];
  /** What an ambiguous name may stand for. */
  candidates?: readonly string[];
}

/** Ends a command on its way; only `main` catches it. Never used for mistakes of this program. */
export class Failure extends Error {
  override name = "Failure";
  readonly code: string;
  readonly hint: string;
  readonly exit: number;
  readonly problems: readonly PlanProblem[] | null;
  readonly candidates: readonly string[] | null;

  constructor(code: string, message: string, hint: string, { exit, problems, candidates }: FailureDetails = {}) {
    super(message);
    this.code = code;
    this.hint = hint;
    this.exit = exit ?? EXIT.refused;
    this.problems = problems ?? null;
    this.candidates = candidates ?? null;
  }
}

/** A command that was written wrongly; nothing was done. */
export function usageFailure(message: string, hint: string, details: FailureDetails = {}): Failure {
  return new Failure("usage", message, hint, { exit: EXIT.usage, ...details });
}

/** A refusal of the machine, as it stands. */
export function refused({ code, message, hint }: Rejection): Failure {
  return new Failure(code, message, hint);
}

/** Operators steer; agents do their one task. */
export function insideAttempt(): Failure {
  const message = "this process belongs to an attempt, and an agent may not steer its own plan";
  return new Failure("inside_attempt", message, "Do the task; its checks decide. Operators use a shell of their own.");
}
