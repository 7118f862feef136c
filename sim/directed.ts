/** Rows of the move table and gates that no engine of today reaches by itself: driven with the real commands, by hand. */

import { memoryStore } from "../src/adapters/store/memory/memory-store.ts";
import { ENVIRONMENT_WAITS_MS } from "../src/core/attempt/caps.ts";
import { BUILT_IN_LANES } from "../src/core/lane/lane.ts";
import { CALM, type Facts } from "../src/core/schedule/facts.ts";
import { closedGates } from "../src/core/schedule/gates.ts";
import type { AttemptSettle } from "../src/core/task/commands/attempts.ts";
import type { LandingFail } from "../src/core/task/commands/landings.ts";
import { NO_CAPS } from "../src/core/task/commands/tasks.ts";
import type { RowCommand } from "../src/core/task/commands.ts";
import type { Event } from "../src/core/task/events.ts";
import type { CheckResult } from "../src/core/task/rows.ts";
import type { ReadyTask, Store } from "../src/ports/store.ts";
import { VirtualClock } from "./clock.ts";
import { makeTask } from "./plans.ts";
import { Random } from "./random.ts";

const HOLDER = { node: "near", boot: "boot-0", pid: 1, start: "0" };
const TARGET = "refs/heads/lockstep/by-hand";
const PLAN = "by-hand";
const DAY_MS = 24 * 3_600_000;

export interface ByHand {
  moves: Set<string>;
  gates: Set<string>;
}

export async function directed(): Promise<ByHand> {
  const clock = new VirtualClock();
  const store = memoryStore({ clock });
  const random = new Random(1);
  const moves = new Set<string>();
  const tasks = Array.from({ length: 10 }, (_, index) => {
    const task = makeTask(random, "worktree", index);
    const checks = {
      verify: [{ run: "verify work", timeout_ms: 1_000 }],
      guards: [{ run: "guard G1", timeout_ms: 1_000 }],
    };
    return {
      ...task,
      depends_on: [],
      definition: { ...task.definition, ...checks, lane: "build", agent: null, files_owned: [] },
    };
  });
  const policy = {
    lanes: BUILT_IN_LANES,
    workspace: "worktree",
    land: { mode: "squash", target: TARGET, base: null },
  } as const;
  const plan = { name: "by-hand", source_hash: "1", policy, tasks, warnings: [] };
  await store.load({ type: "plan.load", project: "by-hand", id: PLAN, plan }, { actor: "person" });
  const drive = new Drive(store, clock, moves);
  await drive.redTogether("T-0");
  await drive.landingFailed("T-1", "publish_refused");
  await drive.landingFailed("T-3", "green_before");
  await drive.landingFailed("T-9", "weakened_checks");
  await drive.refusedByMachine("T-4");
  await drive.sentBack("T-5", "ci_failed");
  await drive.sentBack("T-6", "changes_requested");
  await drive.merged("T-7");
  await drive.turnedAway("T-8", "auth");
  await drive.turnedAway("T-8", "credit");
  await drive.expired("T-2", clock);
  const [ready] = await store.ready(PLAN, 1);
  return { moves, gates: await gatesByHand(ready!, clock.now()) };
}

/** `engine_stopping`, `memory` and `scope_unapproved` are facts that nothing gathers yet: the gates themselves are asked. */
async function gatesByHand({ row, definition }: ReadyTask, now: number): Promise<Set<string>> {
  const little = { free_bytes: 1, floor_bytes: 2 };
  const facts: Facts = { ...CALM, engine_stopping: true, memory: little, scopes_unapproved: ["delicate"] };
  const candidate = { row, definition: { ...definition, scope: "delicate" }, kind: "external", agent: null } as const;
  return new Set(closedGates(facts, candidate, now).map(({ code }) => code));
}

class Drive {
  readonly #store: Store;
  readonly #clock: VirtualClock;
  readonly #moves: Set<string>;

  constructor(store: Store, clock: VirtualClock, moves: Set<string>) {
    this.#store = store;
    this.#clock = clock;
    this.#moves = moves;
  }

  /** Green alone, and red on the new tip: nobody tells that of a guard yet. */
  async redTogether(task: string): Promise<void> {
    const token = await this.#landing(task);
    const result: CheckResult = {
      ...{ command: "guard G1", kind: "guard", outcome: "red", exit_code: 1 },
      ...{ tree: "t", log: "l", tail: "", ms: 1 },
    };
    await this.#submit({
      type: "check.record",
      plan: PLAN,
      task,
      target: TARGET,
      token,
      result,
      blame: "together",
      next: null,
    });
  }

  /** The world of the simulator has no forge: what one says is said by hand. */
  async sentBack(task: string, kind: "ci_failed" | "changes_requested"): Promise<void> {
    await this.#published(task);
    const heard = { kind, text: "it says so" };
    await this.#submit({ type: "publish.hear", plan: PLAN, task, attempt: 1, cursor: null, heard });
  }

  async merged(task: string): Promise<void> {
    await this.#published(task);
    const heard = { kind: "merged", sha: "m", into: "main" } as const;
    await this.#submit({ type: "publish.hear", plan: PLAN, task, attempt: 1, cursor: null, heard });
  }

  async #published(task: string): Promise<void> {
    const of = { plan: PLAN, task, target: TARGET, token: await this.#landing(task) };
    for (const [command, kind] of [
      ["verify work", "verify"],
      ["guard G1", "guard"],
    ] as const) {
      const result: CheckResult = {
        command,
        kind,
        outcome: "green",
        exit_code: 0,
        tree: "t",
        log: "l",
        tail: "",
        ms: 1,
      };
      await this.#submit({ type: "check.record", ...of, result, blame: "task", next: null });
    }
    await this.#submit({ type: "publish.intend", ...of, head: "work", base: "main" });
    await this.#submit({ type: "publish.record", ...of, number: 1, url: null });
  }

  /** The simulator has no forge, and no tasks that ask for red. */
  async landingFailed(task: string, cause: LandingFail["cause"]): Promise<void> {
    await this.#landingFails(task, await this.#landing(task), cause);
  }

  /** No trouble of a seed lasts as long as a landing is put off before somebody is asked. */
  async refusedByMachine(task: string): Promise<void> {
    await this.#landingFails(task, await this.#landing(task), "environment");
    for (const _ of ENVIRONMENT_WAITS_MS) await this.#landingFails(task, await this.#begin(task), "environment");
  }

  /** No agent of the simulator has a login. */
  async turnedAway(task: string, failure: "auth" | "credit"): Promise<void> {
    const token = await this.#claim(task);
    const limit = { key: "account:a", until: null, known_from: "person" } as const;
    await this.#settle(task, token, { outcome: "failed", failure, limit });
  }

  async #landingFails(task: string, token: number, cause: LandingFail["cause"]): Promise<void> {
    await this.#submit({ type: "landing.fail", plan: PLAN, task, target: TARGET, token, cause, text: "no" });
  }

  /** An item whose default is to fail expires a day later: seldom within a seed. */
  async expired(task: string, clock: VirtualClock): Promise<void> {
    for (let lost = 0; lost < 3; lost++) {
      const token = await this.#claim(task);
      await this.#settle(task, token, { outcome: "lost", killed: true });
    }
    clock.jump(DAY_MS);
    const [item] = (await this.#store.openItems("by-hand", PLAN, 10)).filter((open) => open.task === task);
    await this.#submit({ type: "item.expire", plan: PLAN, item: item!.id });
  }

  async #claim(task: string): Promise<number> {
    const expires_at = this.#clock.now() + DAY_MS;
    const by = { kind: "external", agent: "hand", holder: HOLDER, run: null } as const;
    const base = { commit: "c", tree: "t" };
    const events = await this.#submit({ type: "task.claim", plan: PLAN, task, ...by, expires_at, base, caps: NO_CAPS });
    const created = events.find((event) => event.type === "attempt.created");
    return created?.type === "attempt.created" ? created.data.attempt.token : 0;
  }

  async #settle(
    task: string,
    token: number,
    how: Pick<AttemptSettle, "outcome"> & Partial<AttemptSettle>,
  ): Promise<void> {
    const nothing = { error: null, summary: null, usage: null, cost_usd: null, unlanded: false, verdict: null };
    await this.#submit({ type: "attempt.settle", plan: PLAN, task, token, ...nothing, killed: false, ...how });
  }

  async #landing(task: string): Promise<number> {
    const token = await this.#claim(task);
    await this.#submit({ type: "task.done", plan: PLAN, task, token, summary: null, verdict: null });
    return this.#begin(task);
  }

  async #begin(task: string): Promise<number> {
    const of = {
      attempt: 1,
      target: TARGET,
      holder: HOLDER,
      tip: "c",
      candidate: "d",
      tree: "t",
      check: null,
      over: null,
    };
    const events = await this.#submit({ type: "landing.begin", plan: PLAN, task, ...of });
    const begun = events.find((event) => event.type === "landing.begun");
    return begun?.type === "landing.begun" ? begun.data.landing.token : 0;
  }

  async #submit(command: RowCommand): Promise<Event[]> {
    const answer = await this.#store.submit(command, { actor: "hand" });
    if (!answer.ok) throw new Error(`${command.type}: ${answer.rejection.message}`);
    for (const { data } of answer.events)
      if ("from" in data) this.#moves.add(`${data.from} > ${data.to} by ${data.cause}`);
    return answer.events;
  }
}
