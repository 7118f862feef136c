/** Wishes about work that is offered to people outside (spec, section 7: landing mode `pr`). */

import type { OfTask } from "./of-task.ts";

/** All checks are green on the candidate, and it is about to be published. */
export interface PublishIntend extends OfTask {
  type: "publish.intend";
  target: string;
  token: number;
  /** Names of branches on the remote. */
  head: string;
  base: string;
}

/** It stands outside now: what the task waits for is there. */
export interface PublishRecord extends OfTask {
  type: "publish.record";
  target: string;
  token: number;
  number: number | null;
  url: string | null;
}

/** What a look at it found. */
export type Heard =
  | { kind: "nothing" }
  /** By which commit, and on which branch of the remote it stands. */
  | { kind: "merged"; sha: string; into: string }
  | { kind: "closed" }
  /** `text` is for the next brief: what was said outside is marked in it. */
  | { kind: "ci_failed" | "changes_requested"; text: string };

export interface PublishHear extends OfTask {
  type: "publish.hear";
  /** Whose work was looked at: it may have gone on since. */
  attempt: number;
  /** Stored together with what was heard. */
  cursor: string | null;
  heard: Heard;
}
