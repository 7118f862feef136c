/** The world's own account of the work: what ran, what was checked, what landed. Nothing of it comes from the product. */

import { contentOf, keyOf } from "../src/adapters/store/memory/state.ts";
import type { SettledData } from "../src/core/task/events.ts";
import type { AttemptRow, ItemRow, LeaseRow, TaskRow } from "../src/core/task/rows.ts";
import { isSameProcess } from "../src/engine/context.ts";
import type { AttemptName } from "../src/ports/runner.ts";
import type { SimProcess } from "./machines.ts";
import type { Mortal } from "./mortal.ts";
import type { RefMove, Slot } from "./places.ts";
import { spoolKey } from "./spool.ts";
import type { World } from "./world.ts";

/** As long as the calls take in which an engine stood still. */
const THAWED_MS = 1_000;

interface Landing {
  task: string;
  n: number;
  commit: string;
  /** A person ended the task, or handed it back, before the store had heard of it. */
  isTakenBack: boolean;
}

export class Ledger {
  readonly #world: World;
  readonly #spawned = new Set<string>();
  readonly #asked = new Set<string>();
  /** Each task with each commit that it has started from. */
  readonly #starts = new Set<string>();
  /** `command@tree` of every check that was green. */
  readonly #green = new Set<string>();
  readonly #landings: Landing[] = [];
  /** Checks that run, by the attempt whose work they check. */
  readonly #checks = new Map<string, SimProcess>();

  constructor(world: World) {
    this.#world = world;
  }

  /** False when its engine stood still until just now, and meanwhile the attempt has become another's. */
  spawned({ plan, task, slug, n }: AttemptName, by: SimProcess): boolean {
    const key = `${slug}#${n}`;
    if (this.#spawned.has(key)) this.#world.violate("doubled", `a second runner was started for ${key}`);
    this.#spawned.add(key);
    const attempt = contentOf(this.#world.state, plan).attempts.get(task)?.[n - 1]?.attempt;
    if (attempt !== undefined && attempt.state !== "settled") return true;
    const stoodStill = attempt !== undefined && by.frozenUntil > this.#world.clock.monotonic() - THAWED_MS;
    if (!stoodStill)
      this.#world.violate(
        "intent is committed first",
        `a runner of ${key} was started, and the store has no such live attempt`,
      );
    return false;
  }

  agentStarted({ plan, task, slug, n }: AttemptName, agent: SimProcess, dir: string): void {
    const { machines, state, places, setting } = this.#world;
    const mark = agent.marks[0]!;
    const others = machines
      .ofKind("agent")
      .filter((other) => other !== agent && other.marks.some((entry) => entry.startsWith(`${mark.split("#")[0]}#`)));
    if (others.length > 0)
      this.#world.violate(
        "one live attempt per task",
        `${agent.name} began beside ${others.map((p) => p.name).join(", ")}`,
      );
    const attempt = contentOf(state, plan).attempts.get(task)?.[n - 1]?.attempt;
    if (attempt === undefined || attempt.state === "settled")
      this.#world.violate(
        "intent is committed first",
        `${agent.name} began though its attempt is ${attempt?.state ?? "unknown"}`,
      );
    const slot = places.slotAt(dir)?.task;
    if (setting.mode !== "none" && (slot?.slug !== slug || slot.n !== n))
      this.#world.violate(
        "one place per attempt",
        `${agent.name} began in the place of ${slot ? `${slot.slug}#${slot.n}` : "nobody"}`,
      );
  }

  /** The work starts from what it depends on. */
  opened({ task: { slug, n }, base, target }: Slot): void {
    const { state, git } = this.#world;
    const found = this.#rowOf(slug);
    if (found === null) return;
    const attempt = contentOf(state, found.plan).attempts.get(found.id)?.[n - 1]?.attempt;
    if (attempt === undefined)
      this.#world.violate("intent is committed first", `a place of ${slug}#${n} was opened before the claim`);
    // Work that is gone on with starts where it started, whatever has landed since.
    const start = `${slug}@${base}`;
    if (this.#starts.has(start)) return;
    this.#starts.add(start);
    const { edges, tasks } = contentOf(state, found.plan);
    for (const id of edges.get(found.id) ?? []) {
      const { landed_sha, landed_target } = tasks.get(id) ?? {};
      const isThere = !landed_sha || landed_target !== target || git.isAncestor(landed_sha, base);
      if (!isThere) this.#world.violate("work starts from what it depends on", `${slug}#${n} lacks the work of ${id}`);
    }
  }

  checked({ command, tree }: { command: string; task: string; tree: string | null }): void {
    if (tree !== null) this.#green.add(`${command}@${tree}`);
  }

  landed(mortal: Mortal, { target, from, to, task: { slug, n } }: RefMove): void {
    const { state, git, project, log } = this.#world;
    log.write(`${target} moves from ${from} to ${to} with ${slug}#${n} by ${mortal.label}`);
    const row = this.#rowOf(slug);
    if (row === null) {
      this.#world.violate("only lockstep's work lands", slug);
      return;
    }
    if (from !== null && !git.isAncestor(from, to))
      this.#world.violate("the target loses nothing", `${slug}#${n} moves it from ${from} to ${to}`);
    const held = state.landings.get(keyOf(project, target));
    const isHeld =
      held?.candidate === to && held.task === row.id && isSameProcess(held.holder, mortal.process.identity);
    if (!isHeld) this.#world.violate("only the landing's holder moves the target", `${slug}#${n} by ${mortal.label}`);
    const { body } = contentOf(state, row.plan).definitions.get(row.id)!;
    const tree = git.treeOf(to);
    for (const { run } of [...body.verify, ...body.guards])
      if (!this.#green.has(`${run}@${tree}`))
        this.#world.violate("only checked trees land", `${slug}#${n}: \`${run}\` was never green on ${tree}`);
    const lane = state.plans.get(row.plan)?.policy.lanes[body.lane];
    if (row.state === "claimed_done" && !row.approved && lane?.phases.some(({ kind }) => kind === "review"))
      this.#world.violate("nothing lands before its verdict", `${slug}#${n}`);
    if (to === from) return;
    const before = this.#landings.find((landing) => landing.task === row.id && !landing.isTakenBack && landing.n === n);
    if (before) this.#world.violate("doubled", `${slug}#${n} landed as ${before.commit} and as ${to}`);
    this.#landings.push({ task: row.id, n, commit: to, isTakenBack: row.state !== "claimed_done" });
  }

  asked({ text, kind, id }: ItemRow): void {
    if (kind !== "question" || !text.startsWith("which way")) return;
    if (this.#asked.has(text)) this.#world.violate("each line is applied once", `${id} asks again: ${text}`);
    this.#asked.add(text);
  }

  /** A check is let go, by this process; one that is only held does no harm. */
  checkBegins(check: SimProcess): void {
    const [mark = check.name] = check.marks;
    const before = this.#checks.get(mark);
    if (before)
      this.#world.violate("one check at a time", `\`${check.name}\` began while pid ${before.identity.pid} runs`);
    this.#checks.set(mark, check);
    check.ended.push(() => this.#checks.delete(mark));
  }

  /** What the runner left is what counts, unless its node is not heard of any more: then the attempt is lost. */
  settled(
    { plan, slug, id }: TaskRow,
    { n, kind }: AttemptRow,
    lease: LeaseRow | null,
    { outcome }: SettledData,
  ): void {
    if (kind !== "run" || lease === null) return;
    const world = this.#world;
    const { node } = lease.holder;
    const left = world.spools.get(spoolKey(node, { plan, slug, n }))?.done?.outcome ?? null;
    const isShared = world.setting.nodes.length > 1;
    const isOver = isShared && lease.expires_at <= world.clock.now();
    if (left === "succeeded" && outcome === "lost" && !isOver)
      world.violate("lost", `${id}#${n} succeeded, and was settled as lost`);
    if (outcome === "succeeded" && left !== "succeeded")
      world.violate("no outcome is made up", `${id}#${n} was settled as succeeded, and its runner left ${left}`);
    const mark = `LOCKSTEP_ATTEMPT=${plan}/${id}#${n}`;
    const alive = world.machines.all().filter(({ identity, marks }) => identity.node === node && marks.includes(mark));
    if (alive.length > 0 && !isOver)
      world.violate("an ended attempt leaves no process", alive.map(({ name }) => name).join(", "));
  }

  handedBack(task: string, n: number): void {
    for (const landing of this.#landings) if (landing.task === task && landing.n === n) landing.isTakenBack = true;
  }

  final(plan: string): void {
    const { machines, places, locks, state } = this.#world;
    const leftover = (what: string): void => this.#world.violate("leftovers", what);
    for (const { name, identity } of machines.all()) leftover(`process ${identity.pid} (${name}) lives`);
    for (const { task } of places.slots.values()) leftover(`the place of ${task.slug}#${task.n} is taken`);
    for (const held of locks.held()) leftover(`lock ${held}`);
    const { tasks, attempts, runs, items, definitions } = contentOf(state, plan);
    for (const { task } of state.landings.values()) leftover(`the landing of ${task}`);
    for (const run of runs.values()) if (run.state !== "ended") leftover(`run ${run.id} is ${run.state}`);
    for (const [id, all] of attempts)
      for (const { attempt, lease } of all)
        if (lease !== null || attempt.state !== "settled") leftover(`attempt ${id}#${attempt.n}`);
    for (const { id, state: now, task } of items.values())
      if (now === "open" && task !== null) leftover(`item ${id} of ${task}, which is ${tasks.get(task)?.state}`);
    for (const { id, state: now, dead } of tasks.values())
      if (now === "pending" && dead > 0 && definitions.get(id)?.body.on_dependency_failed === "cascade")
        this.#world.violate("stuck", `${id} was to share the end of what it depends on`);
    for (const task of tasks.values()) this.#account(task);
    this.#takenBack();
  }

  /** What a person took back is on no target, unless that could not be, which has been told. */
  #takenBack(): void {
    const { git, setting, state } = this.#world;
    if (setting.mode !== "worktree") return;
    const told = state.events.flatMap(({ type, data }) => (type === "engine.failed" ? [data.error] : []));
    for (const { task, n, commit } of this.#landings.filter(({ isTakenBack }) => isTakenBack)) {
      const row = this.#rowOfTask(task);
      if (row === null || row.landed_sha === commit) continue;
      const isThere = [...git.refs.values()].some((tip) => git.isAncestor(commit, tip));
      if (isThere && !told.some((error) => error.includes(commit)))
        this.#world.violate("doubled", `${task}#${n} was taken back, and ${commit} stays on its target`);
    }
  }

  /** Every verified task has landed once; what landed and is not verified was ended by a person. */
  #account(task: TaskRow): void {
    const { git, setting } = this.#world;
    if (setting.mode === "none") return;
    const own = this.#landings.filter((landing) => landing.task === task.id && !landing.isTakenBack);
    if (task.state === "verified" && !task.unverified) {
      const { landed_sha: sha, landed_target: target, landed_tree: tree } = task;
      const tip = target === null ? undefined : git.refs.get(target);
      if (!sha || tip === undefined || !git.isAncestor(sha, tip))
        this.#world.violate("lost", `${task.id} is verified, and ${sha} is not on its target`);
      else if (git.treeOf(sha) !== tree) this.#world.violate("lost", `${task.id} says that it landed as ${tree}`);
    }
    const attempts = new Set(own.map(({ n }) => n));
    if (attempts.size < own.length) this.#world.violate("doubled", `${task.id} landed ${own.length} times`);
    const isEnded = task.unverified || task.reason === "operator" || task.reason === "retired";
    if (own.length > 0 && task.state !== "verified" && !isEnded)
      this.#world.violate(
        "lost",
        `${task.id} landed as ${own.map(({ commit }) => commit).join(", ")}, and is ${task.state} by ${task.reason}`,
      );
    if (own.length > 1) this.#world.violate("doubled", `${task.id} landed with attempts ${[...attempts].join(", ")}`);
  }

  #rowOfTask(id: string): TaskRow | null {
    for (const { tasks } of this.#world.state.contents.values()) {
      const row = tasks.get(id);
      if (row !== undefined) return row;
    }
    return null;
  }

  #rowOf(slug: string): TaskRow | null {
    for (const { tasks } of this.#world.state.contents.values())
      for (const task of tasks.values()) if (task.slug === slug) return task;
    return null;
  }
}
