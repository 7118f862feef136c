import { INITIAL } from "./0001-initial.ts";
import { LIMITS } from "./0002-limits.ts";
import { LANDING } from "./0003-landing.ts";

/** Every step of the schema, in order; `user_version` says how many a store has. Steps are only ever added. */
export const MIGRATIONS: readonly string[] = [INITIAL, LIMITS, LANDING];
