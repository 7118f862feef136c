import type { PlanProblem } from "../core/plan/definition.ts";

export type UnusableCode =
  | "no_project"
  | "project_elsewhere"
  | "project_id"
  | "no_plan"
  | "config"
  | "store_later"
  | "not_writable";

/** A project that cannot be worked with until a person changes something. Nothing was changed. */
export class ProjectUnusable extends Error {
  override name = "ProjectUnusable";
  readonly code: UnusableCode;
  readonly hint: string;
  /** What is wrong with its configuration, place by place. */
  readonly problems: readonly PlanProblem[];

  constructor(code: UnusableCode, message: string, hint: string, problems: readonly PlanProblem[] = []) {
    super(message);
    this.code = code;
    this.hint = hint;
    this.problems = problems;
  }
}
