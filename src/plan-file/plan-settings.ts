/** What a plan needs to know of the configuration that it is compiled with. */

import { BUILT_IN_LANES } from "../core/lane/lane.ts";
import type { PlanPolicy } from "../core/plan/definition.ts";
import type { WrittenDefaults } from "./plan-schema.ts";

export interface PlanSettings extends PlanPolicy {
  /** Names of the configured agents; none: any name is accepted. `land.target` may hold `{plan}`. */
  agents: readonly string[];
  /** As written; a plan's own defaults go before them. */
  defaults: WrittenDefaults;
  /** Globs that no attempt of any task may change. */
  protect: readonly string[];
  /** Hash of the configuration's bytes. */
  hash: string;
}

/** What holds where no configuration says otherwise. */
export const BUILT_IN_SETTINGS: PlanSettings = {
  agents: [],
  defaults: {},
  lanes: BUILT_IN_LANES,
  protect: [],
  workspace: "in_place",
  land: { mode: "merge", target: "lockstep/{plan}", base: null },
  hash: "",
};

/** What a task is where neither it, nor its plan, nor the configuration says otherwise. */
export const BUILT_IN_DEFAULTS = {
  tries: 3,
  timeout: "1h",
  verify_timeout: "10m",
  retry_delay: "10s",
  lane: "build",
  wave: 1,
  priority: 3,
  outside: "warn",
  weakened_checks: "ask",
  changes: "optional",
  on_dependency_failed: "wait",
  unchecked: false,
  red_first: false,
  clean: false,
} as const satisfies WrittenDefaults;
