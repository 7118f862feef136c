/** Why a candidate is refused before any of its checks runs. */

import { matchesGlob } from "../core/plan/overlap.ts";
import type { LandingFail } from "../core/task/commands/landings.ts";
import type { Candidate, WorkspaceRefusal } from "../ports/workspace.ts";
import { greenBefore } from "./green-before.ts";
import { brokenScope, outsideFiles, outsideText, protectedGlobs } from "./landing-ownership.ts";
import type { Landing } from "./landing-work.ts";
import { weakenedChecks } from "./weakened-checks.ts";

export interface Refusal {
  cause: LandingFail["cause"];
  text: string;
}

/** What no check has to tell. */
export async function refusalOf(landing: Landing, candidate: Candidate, isReopened: boolean): Promise<Refusal | null> {
  const refused = refusedChange(landing, candidate, isReopened);
  if (refused !== null) return refused;
  const weakened = await weakenedChecks(landing, candidate);
  if (weakened === null) return greenBefore(landing);
  return "code" in weakened ? { cause: causeOf(weakened), text: weakened.text } : weakened;
}

/** By the names of what was changed alone. */
function refusedChange(landing: Landing, candidate: Candidate, isReopened: boolean): Refusal | null {
  const { definition, row } = landing.record;
  const guarded = row.rulings?.protected_files === "allow" ? [] : protectedChanges(landing, candidate);
  if (guarded.length > 0)
    return { cause: "protected_files", text: `protected files were changed: ${guarded.join(", ")}` };
  const broken = brokenScope(definition, candidate);
  if (broken !== null) return { cause: "scope_broken", text: broken };
  const outside = definition.outside === "refuse" ? outsideFiles(definition, candidate) : null;
  if (outside !== null) return { cause: "scope_broken", text: outsideText(definition, outside) };
  if (candidate.changed.length > 0) return null;
  if (isReopened)
    return {
      cause: "conflict",
      text: "other work was done in the checkout meanwhile: this task's is kept at a saved ref",
    };
  if (definition.changes !== "required") return null;
  return { cause: "no_changes", text: "the task requires changes, and the attempt left none" };
}

function protectedChanges(landing: Landing, { changed }: Candidate): string[] {
  const globs = protectedGlobs(landing);
  return changed.map((file) => file.path).filter((path) => globs.some((glob) => matchesGlob(glob, path)));
}

/** A conflict is nobody's fault; a place that only its repository or a person can free asks one; the rest is the attempt's. */
export function causeOf({ code }: WorkspaceRefusal): LandingFail["cause"] {
  if (code === "conflict") return "conflict";
  return code === "busy" || code === "target_checked_out" || code === "missing_base"
    ? "environment"
    : "workspace_broken";
}
