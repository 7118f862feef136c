/** What must hold at every step, whatever died and whenever. */

import { contentOf, keyOf } from "../src/adapters/store/memory/state.ts";
import { verify } from "../src/adapters/store/memory/verify.ts";
import type { RowCommand } from "../src/core/task/commands.ts";
import type { Event } from "../src/core/task/events.ts";
import { MOVE_EVENTS } from "../src/core/task/events.ts";
import { mayMove } from "../src/core/task/moves.ts";
import type { AttemptName } from "../src/ports/runner.ts";
import type { Answer } from "../src/ports/store.ts";
import { claimProblem } from "./claim-rules.ts";
import { Ledger } from "./ledger.ts";
import type { SimProcess } from "./machines.ts";
import type { Mortal } from "./mortal.ts";
import type { RefMove, Slot } from "./places.ts";
import { Shadow } from "./shadow.ts";
import { staleness } from "./token-rules.ts";
import type { World } from "./world.ts";

/** What was true of a command before it was decided. */
export interface Before {
  stale: string | null;
  events: number;
}

const MOVES: ReadonlySet<string> = new Set(Object.values(MOVE_EVENTS));
const TERMINAL: ReadonlySet<string> = new Set(["verified", "failed", "skipped", "cancelled"]);
const LEGAL_WAYS_OUT: ReadonlySet<string> = new Set(["retried", "restored", "operator", "override", "retired"]);
/** Causes of moves by which a task failed a try, and those behind which its tries begin anew. */
const FAILURES: ReadonlySet<string> = new Set([
  "try_left",
  "checks_red",
  "scope_broken",
  "workspace_broken",
  "no_changes",
]);
const BEGIN_ANEW: ReadonlySet<string> = new Set([
  ...["retried", "restored", "answered", "review_due", "phase_done", "rejected", "rewrite", "tries_gone"],
]);
/** Counters are compared with exact ones behind every so many commits: that looks at the whole plan. */
const COUNT_EVERY = 8;

export class Oracles {
  readonly shadow: Shadow;
  readonly #world: World;
  readonly #ledger: Ledger;
  #seen = 0;
  #commits = 0;
  #lastToken = 0;
  #command = "";
  readonly #tries = new Map<string, number>();
  /** Tasks that the last commands were about: their rows must be as told even where nothing was. */
  readonly #commanded = new Set<string>();

  constructor(world: World) {
    this.#world = world;
    this.shadow = new Shadow(world.state);
    this.#ledger = new Ledger(world);
  }

  before(command: RowCommand): Before {
    this.#command = command.type;
    const { state, clock, machines } = this.#world;
    return { stale: staleness(command, { state, now: clock.now(), machines }), events: state.events.length };
  }

  after(command: RowCommand, { stale, events }: Before, answer: Answer): void {
    const isAccepted = answer.ok && this.#world.state.events.length > events;
    if (isAccepted && stale !== null) this.#world.violate("no stale token is accepted", `${command.type}: ${stale}`);
    if (answer.ok && "plan" in command && "task" in command && command.task !== null)
      this.#commanded.add(keyOf(command.plan, command.task));
    if (!answer.ok && command.type === "task.claim") this.#world.coverage.gates.add(answer.rejection.code);
  }

  /** Looks at what was committed since the last call. */
  look(): void {
    const { state, log, violation } = this.#world;
    if (violation !== null || (state.events.length === this.#seen && this.#commanded.size === 0)) return;
    const events = state.events.slice(this.#seen);
    this.#seen = state.events.length;
    this.#commits += 1;
    const isLoad = events.some(({ type }) => type === "plan.loaded");
    const touched = new Set(this.#commanded);
    this.#commanded.clear();
    for (const event of events) {
      log.write(wordsOf(event));
      if (isLoad && MOVES.has(event.type) && this.shadow.of(event.plan, event.task) === null) continue;
      this.#judge(event);
      // The move itself may bring a new definition into force.
      const tries = this.shadow.of(event.plan, event.task)?.definition.body.tries ?? 0;
      this.shadow.apply(event);
      this.#judgeAfter(event, events, tries);
      if (event.task !== null) touched.add(keyOf(event.plan!, event.task));
    }
    const plan = events.find((event) => event.plan !== null)?.plan ?? null;
    if (isLoad && plan !== null) this.shadow.resync(plan);
    else this.#compare(touched, plan);
    if (this.#commits % COUNT_EVERY === 0) this.#count();
  }

  #compare(touched: Set<string>, plan: string | null): void {
    for (const key of touched) {
      const [of, id] = key.split("\u0001") as [string, string];
      const difference = this.shadow.difference(of, id);
      if (difference !== null) this.#world.violate("replay equals the rows", `${id}: ${difference}`);
    }
    const difference = plan === null ? null : this.shadow.differenceOfPlan(plan);
    if (difference !== null) this.#world.violate("replay equals the rows", difference);
  }

  #count(): void {
    const wrong = verify(this.#world.state);
    if (wrong.length > 0) this.#world.violate("counters are exact", wrong.join("; "));
  }

  #judge(event: Event): void {
    const { shadow } = this;
    const known = shadow.of(event.plan, event.task);
    const violate = (oracle: string, text: string): void => this.#world.violate(oracle, `${event.task}: ${text}`);
    if (event.type === "attempt.created") {
      const { attempt, lease } = event.data;
      if (known?.attempt && known.attempt.state !== "settled")
        violate("one live attempt per task", `attempt ${attempt.n} began while ${known.attempt.n} is live`);
      if (attempt.token <= this.#lastToken || lease.token !== attempt.token)
        violate("tokens only grow", `${attempt.token} after ${this.#lastToken}`);
      this.#lastToken = attempt.token;
    }
    if (event.type === "landing.begun") {
      const { token } = event.data.landing;
      if (token <= this.#lastToken) violate("tokens only grow", `${token} after ${this.#lastToken}`);
      this.#lastToken = token;
    }
    if (event.type === "attempt.settled" && known !== null) {
      if (known.attempt === null || known.attempt.state === "settled" || known.attempt.n !== event.attempt)
        violate("settled exactly once", `attempt ${event.attempt} is settled again`);
      this.#ledger.settled(known.task, known.attempt!, known.lease, event.data);
    }
    if (event.type === "item.opened") this.#ledger.asked(event.data.item);
    if (event.type === "run.started" && (shadow.runs.get(event.plan!)?.state ?? "ended") !== "ended")
      violate("one live run per plan", `run ${event.data.run.id} began beside another`);
  }

  /** Moves are judged on the rows as they were, with the attempt that the same command has just begun. */
  #judgeAfter(event: Event, batch: readonly Event[], tries: number): void {
    if (!("from" in event.data)) return;
    const { from, to, cause } = event.data;
    const { world, shadow } = { world: this.#world, shadow: this.shadow };
    world.coverage.move(from, to, cause);
    if (!mayMove(from, to, cause)) world.violate("only legal moves", `${event.task}: ${from} > ${to} by ${cause}`);
    if (from === "verified" || (TERMINAL.has(from) && !LEGAL_WAYS_OUT.has(cause)))
      world.violate("terminal stays terminal", `${event.task}: ${from} > ${to} by ${cause}`);
    this.#countTry(event, cause, tries);
    // A person who ends it may let it be tried again: what landed unknown to the store stays, and is no longer this task's.
    const isByPerson = event.actor === "person" && (cause === "handed_back" || cause === "operator");
    if (from === "claimed_done" && isByPerson && to !== "verified")
      this.#ledger.handedBack(event.task!, event.attempt!);
    if (to !== "in_progress") return;
    const isVerdict = this.#command === "verdict.give" && batch.some(({ type }) => type === "verdict.given");
    const problem = claimProblem(world, shadow, event, isVerdict);
    if (problem !== null) world.violate(problem.oracle, `${event.task}: ${problem.text}`);
  }

  /** Failures within a round, told again from the moves alone: never more than the task's tries. */
  #countTry({ plan, task }: Event, cause: string, most: number): void {
    const key = keyOf(plan!, task!);
    if (FAILURES.has(cause)) this.#tries.set(key, (this.#tries.get(key) ?? 0) + 1);
    else if (BEGIN_ANEW.has(cause)) this.#tries.delete(key);
    const failed = this.#tries.get(key) ?? 0;
    if (cause !== "tries_gone" && failed >= most && FAILURES.has(cause))
      this.#world.violate("tries are counted", `${task} failed ${failed} times, and goes on`);
  }

  opened(slot: Slot): void {
    this.#ledger.opened(slot);
  }

  landed(mortal: Mortal, move: RefMove): void {
    this.#ledger.landed(mortal, move);
  }

  checked(check: { command: string; task: string; tree: string | null }): void {
    this.#ledger.checked(check);
  }

  checkBegins(check: SimProcess): void {
    this.#ledger.checkBegins(check);
  }

  spawned(attempt: AttemptName, by: SimProcess): boolean {
    return this.#ledger.spawned(attempt, by);
  }

  agentStarted(attempt: AttemptName, agent: SimProcess, dir: string): void {
    this.#ledger.agentStarted(attempt, agent, dir);
  }

  /** When everything has ended. */
  final(plan: string): void {
    this.look();
    this.#count();
    for (const task of contentOf(this.#world.state, plan).tasks.values()) {
      const difference = this.shadow.difference(plan, task.id);
      if (difference !== null) this.#world.violate("replay equals the rows", `${task.id}: ${difference}`);
    }
    this.#ledger.final(plan);
  }
}

function wordsOf({ seq, type, task, attempt, actor, data }: Event): string {
  const of = task === null ? "" : ` ${task}${attempt === null ? "" : `#${attempt}`}`;
  const words = "from" in data ? ` ${data.from} > ${data.to} by ${data.cause}` : "";
  const more = "outcome" in data ? ` ${data.outcome}` : "";
  const stop = type === "attempt.stopping" ? ` ${JSON.stringify(data.stop)}` : "";
  return `${seq} ${type}${of}${words}${more}${stop} (${actor})`;
}
