/** Facts that change no row and must stand in the record. */

import type { EngineFailure, HookFailure, HookSkipped } from "../rows.ts";

/** An engine could not carry on with something. Changes nothing: a fact for the record. */
export interface EngineFail {
  type: "engine.fail";
  plan: string;
  failure: EngineFailure;
}

/** An operator's hook was told of something and did not end well. Changes nothing: a fact for the record. */
export interface HookFail {
  type: "hook.fail";
  plan: string;
  /** The task that the hook was told of. */
  task: string | null;
  failure: HookFailure;
}

/** A run ended before its hooks had been told of everything. */
export interface HookSkip {
  type: "hook.skip";
  plan: string;
  skipped: HookSkipped;
}

/** The wall clock of a node moved against the time that passed. Changes nothing: a fact for the record. */
export interface ClockJump {
  type: "clock.jump";
  plan: string;
  /** Forward is positive. */
  ms: number;
}
