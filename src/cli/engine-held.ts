import type { Holder } from "../core/task/rows.ts";
import { Failure } from "./failure.ts";

/** Two engines never act in one project at once. */
export function engineHeld(engines: readonly Holder[]): Failure {
  const who = engines.map(({ pid, node }) => `process ${pid} on ${node}`).join(", ") || "another process";
  const hint = "Wait until it has ended, or stop it: `lockstep status` shows what it does.";
  return new Failure("engine_held", `an engine runs in this project already: ${who}`, hint);
}
