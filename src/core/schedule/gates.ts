/** The one ordered list of conditions between a pending task and its start (spec, section 5). */

import { ownersMayOverlap } from "../plan/overlap.ts";
import type { TaskRow, UnderwayTask } from "../task/rows.ts";
import type { Candidate, Facts, Space } from "./facts.ts";
import { agentKey, heldText, isHeld, longest } from "./holds.ts";

export const GATE_CODES = [
  "engine_stopping",
  "run_not_running",
  "budget_spent",
  "model_held",
  "hourly_cap",
  "run_cap",
  "concurrency",
  "dependency_pending",
  "dependency_failed",
  "due_later",
  "scope_unapproved",
  "overlap",
  "disk",
  "memory",
  "workspace_busy",
  "agent_busy",
] as const;

export type GateCode = (typeof GATE_CODES)[number];

/** Why a task does not start: the gate, a sentence, when it opens by itself (null: unknown), and what closes it. */
export interface Closed {
  code: GateCode;
  text: string;
  until: number | null;
  by: string[];
}

export type Gate = (facts: Facts, candidate: Candidate, now: number) => Closed | null;

const HOUR_MS = 3_600_000;

const GATES: Readonly<Record<GateCode, Gate>> = {
  engine_stopping: (facts) =>
    facts.engine_stopping ? closed("engine_stopping", "the engine is stopping and starts nothing more") : null,
  run_not_running: runNotRunning,
  budget_spent: ({ run }) =>
    run?.budget_usd != null && run.spent_usd >= run.budget_usd
      ? closed("budget_spent", `the run has spent $${run.spent_usd.toFixed(2)} of its $${run.budget_usd.toFixed(2)}`, [
          run.id,
        ])
      : null,
  model_held: modelHeld,
  hourly_cap: ({ caps, started_last_hour }, { kind }, now) =>
    kind === "run" && caps.hourly !== null && started_last_hour.count >= caps.hourly
      ? closed(
          "hourly_cap",
          `${started_last_hour.count} attempts were started within the hour, of at most ${caps.hourly}`,
          [],
          (started_last_hour.first_at ?? now) + HOUR_MS,
        )
      : null,
  run_cap: ({ run }, { kind }) =>
    kind === "run" && run?.tasks_max != null && run.started >= run.tasks_max
      ? closed("run_cap", `the run has started ${run.started} attempts, of at most ${run.tasks_max}`, [run.id])
      : null,
  concurrency,
  dependency_pending: (_facts, { row, dependencies }) => {
    if (row.unmet <= row.dead) return null;
    const names = dependencies?.filter((d) => !d.satisfied && !hasEnded(d.state)).map((d) => d.id) ?? [];
    return closed("dependency_pending", waitsFor(row.unmet - row.dead, names, "to be verified"), names);
  },
  dependency_failed: (_facts, { row, dependencies }) => {
    if (row.dead === 0) return null;
    const names = dependencies?.filter((d) => !d.satisfied && hasEnded(d.state)).map((d) => d.id) ?? [];
    return closed("dependency_failed", waitsFor(row.dead, names, "that ended without being verified"), names);
  },
  due_later: (_facts, { row }, now) =>
    row.due_at !== null && row.due_at > now
      ? closed("due_later", `not before its time (${row.reason ?? "due"})`, [], row.due_at)
      : null,
  scope_unapproved: (facts, { definition }) =>
    definition.scope !== null && facts.scopes_unapproved.includes(definition.scope)
      ? closed("scope_unapproved", `scope ${definition.scope} waits for a person's approval`, [definition.scope])
      : null,
  overlap,
  disk: shortOfDisk,
  memory: ({ memory }) => tooLittle("memory", "free memory", memory),
  workspace_busy: workspaceBusy,
  agent_busy: agentBusy,
};

/** Every closed gate in order; the first is the reason. An empty list means that the task may start. */
export function closedGates(facts: Facts, candidate: Candidate, now: number): Closed[] {
  return GATE_CODES.flatMap((code) => GATES[code](facts, candidate, now) ?? []);
}

/** The first closed gate, or null when all are open. */
export function firstClosed(facts: Facts, candidate: Candidate, now: number): Closed | null {
  for (const code of GATE_CODES) {
    const found = GATES[code](facts, candidate, now);
    if (found) return found;
  }
  return null;
}

/** Whoever names a task asks no gate of the machine but this one: on a full disk nothing can be begun at all. */
export function shortOfDisk({ disk }: Pick<Facts, "disk">): Closed | null {
  return tooLittle("disk", "free disk space", disk);
}

function runNotRunning({ run }: Facts, { kind }: Candidate): Closed | null {
  if (run === null) return kind === "run" ? closed("run_not_running", "its plan has no run") : null;
  return run.state === "running" ? null : closed("run_not_running", `the run is ${run.state}`, [run.id]);
}

function modelHeld({ holds, draws }: Facts, { agent }: Candidate, now: number): Closed | null {
  if (agent === null || holds.length === 0) return null;
  const keys = [agentKey(agent), ...(draws.get(agent) ?? [])];
  const hold = longest(holds.filter((each) => keys.includes(each.key) && isHeld(each, now)));
  if (hold === null) return null;
  const drawers = [...draws].filter(([, drawn]) => drawn.includes(hold.key)).map(([name]) => name);
  return closed("model_held", heldText(hold, drawers), [hold.key], hold.until);
}

function concurrency({ run, caps, underway }: Facts, { row, kind, agent, definition }: Candidate): Closed | null {
  if (kind === "external") return null;
  const live = underway.filter((t) => t.kind === "run" && t.state === "in_progress");
  const ofRun = live.filter((t) => t.plan === row.plan);
  if (caps.global !== null && live.length >= caps.global) return full("the project", live, caps.global);
  if (run !== null && ofRun.length >= run.jobs) return full("the run", ofRun, run.jobs);
  const ofAgent = live.filter((t) => t.agent === agent);
  const assigned = definition.agent !== null;
  return !assigned && caps.agent !== null && ofAgent.length >= caps.agent
    ? full(`agent ${agent}`, ofAgent, caps.agent)
    : null;
}

function full(whose: string, live: UnderwayTask[], cap: number): Closed {
  return closed("concurrency", `${whose} has ${live.length} of ${cap} attempts at work`, names(live));
}

function overlap({ underway }: Facts, { row, definition }: Candidate): Closed | null {
  if (!row.owns) return null;
  const others = underway.filter(
    (t) => isInTheWay(t, row) && t.target === row.target && ownersMayOverlap(t.files_owned, definition.files_owned),
  );
  return others.length === 0
    ? null
    : closed("overlap", `its files may overlap with those of ${list(names(others))}`, names(others));
}

function workspaceBusy({ underway, workspace }: Facts, { row }: Candidate): Closed | null {
  if (row.mode !== "in_place") return null;
  const other = underway.find((t) => isInTheWay(t, row) && t.mode === "in_place");
  if (other) return closed("workspace_busy", `${other.id} is under way in the same place`, [other.id]);
  return workspace === null ? null : closed("workspace_busy", workspace);
}

function agentBusy({ caps, underway }: Facts, { kind, agent, definition }: Candidate): Closed | null {
  if (kind === "external" || definition.agent === null || caps.agent === null) return null;
  const at = underway.filter((t) => t.kind === "run" && t.state === "in_progress" && t.agent === agent);
  return at.length >= caps.agent
    ? closed("agent_busy", `its agent ${agent} is at work on ${list(names(at))}`, names(at))
    : null;
}

function tooLittle(code: "disk" | "memory", what: string, space: Space | null): Closed | null {
  if (space === null || space.free_bytes >= space.floor_bytes) return null;
  const there = space.at === undefined ? "" : ` at ${space.at}`;
  return closed(
    code,
    `${what}: ${megabytes(space.free_bytes)} MB${there}, and at least ${megabytes(space.floor_bytes)} MB is asked for`,
  );
}

function closed(code: GateCode, text: string, by: string[] = [], until: number | null = null): Closed {
  return { code, text, until, by };
}

function waitsFor(count: number, known: string[], what: string): string {
  if (known.length > 0) return `depends on ${list(known)} ${what}`;
  return `depends on ${count} ${count === 1 ? "task" : "tasks"} ${what}`;
}

const NAMED_AT_MOST = 5;

function list(all: string[]): string {
  const shown = all.slice(0, NAMED_AT_MOST).join(", ");
  return all.length > NAMED_AT_MOST ? `${shown} and ${all.length - NAMED_AT_MOST} more` : shown;
}

function hasEnded(state: string): boolean {
  return state === "failed" || state === "skipped" || state === "cancelled" || state === "verified";
}

/** Of two that both wait with unlanded work (a person's answer brought one back) neither waits for the other, or both would for ever. */
function isInTheWay(other: UnderwayTask, row: TaskRow): boolean {
  return !isSame(other, row) && !(other.state === "pending" && row.unlanded);
}

function isSame(other: UnderwayTask, row: { plan: string; id: string }): boolean {
  return other.plan === row.plan && other.id === row.id;
}

const names = (tasks: UnderwayTask[]): string[] => tasks.map((t) => t.id);
const megabytes = (bytes: number): number => Math.floor(bytes / 1_000_000);
