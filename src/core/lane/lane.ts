import { invariant } from "../assert.ts";

/** *document* leaves a file, *work* may change the tree, *review* yields a verdict. */
export type PhaseKind = "document" | "work" | "review";

export interface Phase {
  name: string;
  kind: PhaseKind;
  /** Passes through this phase that verdicts may open, all agents together. */
  rounds: number;
}

/** The ordered phases that a task goes through. */
export interface Lane {
  name: string;
  phases: Phase[];
}

/** Rounds per phase unless a lane says otherwise (spec, section 2). */
export const ROUNDS_DEFAULT = 3;

const phase = (name: string, kind: PhaseKind): Phase => ({ name, kind, rounds: ROUNDS_DEFAULT });

/** The lanes that need no configuration (spec, section 4). */
export const BUILT_IN_LANES: Readonly<Record<string, Lane>> = {
  build: { name: "build", phases: [phase("build", "work")] },
  reviewed: { name: "reviewed", phases: [phase("build", "work"), phase("review", "review")] },
  full: {
    name: "full",
    phases: [
      phase("research", "document"),
      phase("design", "document"),
      phase("build", "work"),
      phase("review", "review"),
    ],
  },
};

export function phaseAt(lane: Lane, index: number): Phase {
  const found = lane.phases[index];
  invariant(found, `lane ${lane.name} has no phase ${index}`);
  return found;
}

/** The index of the phase whose end hands the task to the engine. */
export function lastWorkPhase(lane: Lane): number {
  return lane.phases.findLastIndex((p) => p.kind === "work");
}

/** A review stands between the phase at `index` and the landing. */
export function isReviewDue(lane: Lane, index: number): boolean {
  return nextReview(lane, index) !== null;
}

/** The index of the next review after `index`, or null: then nothing but the landing is due. */
export function nextReview(lane: Lane, index: number): number | null {
  const found = lane.phases.findIndex((p, i) => i > index && p.kind === "review");
  return found === -1 ? null : found;
}
