/** People: they steer the run and its attempts, end tasks, answer, review, and load the plan anew. */

import { contentOf } from "../src/adapters/store/memory/state.ts";
import { phaseAt } from "../src/core/lane/lane.ts";
import type { VerdictWord } from "../src/core/lane/verdict.ts";
import type { CompiledPlan } from "../src/core/plan/definition.ts";
import type { RowCommand } from "../src/core/task/commands.ts";
import type { ItemRow, PlanRow, TaskRow } from "../src/core/task/rows.ts";
import { loadPlan } from "../src/engine/load-plan.ts";
import { panic } from "../src/engine/panic.ts";
import { StoreUnavailable } from "../src/ports/store.ts";
import { type Acting, actAs, type Play } from "./contexts.ts";
import type { Engines } from "./engines.ts";
import { commandOf, WISHES, type Wish } from "./wishes.ts";

const VERDICTS: Record<VerdictWord, number> = { approved: 6, rejected: 3, rewrite: 1, product: 1 };
const REVIEW_MS = 40;
/** No worker asks for so much time at once. */
const FORGOTTEN_MS = 600_000;
/** Longest time between a panic and the resume behind it. */
const PANIC_MS = 20_000;
/** How often a calm person asks for another try before they let it be. */
const RETRIES_CALM = 2;

export class Operators {
  readonly #play: Play;
  readonly #plan: PlanRow;
  readonly #engines: Engines;
  readonly #asked = new Map<string, number>();
  #compiled: CompiledPlan;
  #revision = 1;
  #isReviewing = new Set<string>();

  constructor(play: Play, plan: PlanRow, engines: Engines) {
    this.#play = play;
    this.#plan = plan;
    this.#engines = engines;
    this.#compiled = play.world.setting.plan;
  }

  /** Somebody does something. */
  come(): void {
    const { world } = this.#play;
    const wish: Wish = world.random.weighted(WISHES);
    this.#act(`wishes to ${wish}`, (acting) => this.#fulfil(acting, wish));
  }

  /** Somebody sends a task back whose landing nobody seems to go on with. */
  handBack(task: string): void {
    const stop = { as: "cancelled", why: "nobody lands it", then: "pending" } as const;
    const plan = this.#plan.id;
    this.#act(`hands ${task} back`, async (acting) => {
      await this.#submit(acting, { type: "task.edit", plan, task, patch: { priority: 1, wave: 1 } });
      await this.#submit(acting, { type: "attempt.stop", plan, task, ...stop });
    });
  }

  /** Somebody does without a task whose lander died in the middle. */
  doWithout(task: string): void {
    const skip = { satisfies: this.#play.world.random.chance(0.5), without_work: true, why: "it takes too long" };
    this.#act(`does without ${task}`, (acting) =>
      this.#submit(acting, { type: "task.skip", plan: this.#plan.id, task, ...skip }),
    );
  }

  /** Somebody clears away whatever keeps the plan from its end. */
  tidy(): void {
    const { world } = this.#play;
    world.freeBytes = 10_000_000_000;
    const { items, runs } = contentOf(world.state, this.#plan.id);
    const open = [...items.values()].filter(({ state }) => state === "open");
    const run = [...runs.values()].find(({ state }) => state !== "ended");
    const holds = [...world.state.holds.values()].filter(({ over }) => !over);
    const forgotten = this.#forgotten();
    if (forgotten.length + open.length + holds.length === 0 && (run === undefined || run.state === "running")) return;
    this.#act("tidies", async (acting) => {
      for (const { key } of holds) await this.#submit(acting, { type: "hold.clear", project: world.project, key });
      for (const item of open) await this.#answer(acting, item);
      for (const task of forgotten) {
        const stop = { as: "interrupted", why: "nobody hears of its worker", then: "pending" } as const;
        await this.#submit(acting, { type: "attempt.stop", plan: this.#plan.id, task, ...stop });
      }
      if (run && run.state !== "running")
        await this.#submit(acting, { type: "run.resume", plan: this.#plan.id, tasks_max: null });
    });
  }

  /** What dead workers hold for much longer than any of them asked for: the clock was set back meanwhile. */
  #forgotten(): string[] {
    const { state, clock, machines } = this.#play.world;
    const held = [...contentOf(state, this.#plan.id).attempts.values()].flatMap((all) => all.at(-1) ?? []);
    return held.flatMap(({ attempt, lease }) => {
      const isLong = lease !== null && lease.expires_at > clock.now() + FORGOTTEN_MS;
      return isLong && attempt.kind === "external" && !machines.isAlive(lease.holder) ? [attempt.task] : [];
    });
  }

  /** Reviews that are due are given soon. */
  review(): void {
    const { world } = this.#play;
    for (const task of contentOf(world.state, this.#plan.id).tasks.values()) {
      if (task.state !== "pending" || this.#isReviewing.has(task.id) || !this.#isInReview(task)) continue;
      this.#isReviewing.add(task.id);
      world.clock.after(world.random.between(0, REVIEW_MS), () => {
        const word = world.calm ? "approved" : world.random.weighted(VERDICTS);
        this.#act(`finds ${task.id} ${word}`, async (acting) => {
          this.#isReviewing.delete(task.id);
          const commit = contentOf(world.state, this.#plan.id).tasks.get(task.id)!.work_commit;
          const holder = acting.context.processes.self();
          const of = { plan: this.#plan.id, task: task.id };
          await this.#submit(acting, {
            type: "verdict.give",
            ...of,
            word,
            comments: "as seen",
            commit,
            by: "reviewer",
            holder,
          });
        });
      });
    }
  }

  #isInReview({ id, phase, unmet }: TaskRow): boolean {
    const { definitions } = contentOf(this.#play.world.state, this.#plan.id);
    const lane = this.#plan.policy.lanes[definitions.get(id)!.body.lane]!;
    return unmet === 0 && phaseAt(lane, phase).kind === "review";
  }

  #act(what: string, act: (acting: Acting) => Promise<void>): void {
    const { world } = this.#play;
    const acting = actAs(this.#play, { node: world.setting.nodes[0]!, kind: "operator", name: "person" });
    world.log.write(`a person ${what}`);
    void act(acting).then(
      () => acting.mortal.exit(),
      (error: Error) => {
        if (!(error instanceof StoreUnavailable))
          world.violate("a person's command does not break", `${what}: ${error.stack}`);
        acting.mortal.exit();
      },
    );
  }

  async #submit({ context }: Acting, command: RowCommand): Promise<void> {
    const answer = await context.store.submit(command, { actor: "person" });
    if (!answer.ok) this.#play.world.log.write(`refused: ${command.type}: ${answer.rejection.code}`);
  }

  async #fulfil(acting: Acting, wish: Wish): Promise<void> {
    const { world } = this.#play;
    const plan = this.#plan.id;
    const { random, project, clock } = world;
    switch (wish) {
      case "end_engine":
        return this.#engines.interrupt(random.chance(0.5));
      case "panic":
        return this.#panic(acting);
      case "reload":
        return this.#reload(acting);
      case "add":
        return this.#add(acting);
      case "answer": {
        const open = [...contentOf(world.state, plan).items.values()].filter(({ state }) => state === "open");
        return open.length > 0 ? this.#answer(acting, random.pick(open)) : undefined;
      }
      default: {
        const any = (...states: TaskRow["state"][]): string => this.#anyTask(states);
        return this.#submit(acting, commandOf(wish, { plan, project, now: clock.now(), random, any }));
      }
    }
  }

  /** Everything is stopped at once; somebody lets it go on when they have looked. */
  async #panic({ context }: Acting): Promise<void> {
    const { world } = this.#play;
    const { attempts } = await panic(context.store, "person", "a person's panic");
    world.log.write(`a panic ends ${attempts.map(({ task, n }) => `${task}#${n}`).join(", ") || "nothing"}`);
    world.clock.after(world.random.between(1_000, PANIC_MS), () =>
      this.#act("resumes behind the panic", (acting) =>
        this.#submit(acting, { type: "run.resume", plan: this.#plan.id, tasks_max: null }),
      ),
    );
  }

  #anyTask(states: readonly TaskRow["state"][]): string {
    const { world } = this.#play;
    const all = [...contentOf(world.state, this.#plan.id).tasks.values()];
    const fitting = all.filter(({ state }) => states.includes(state));
    return world.random.pick(fitting.length > 0 ? fitting : all).id;
  }

  async #answer(acting: Acting, { id, options, task }: ItemRow): Promise<void> {
    const { world } = this.#play;
    const before = this.#asked.get(task ?? id) ?? 0;
    this.#asked.set(task ?? id, before + 1);
    const ends = options.filter(({ effect }) => effect === "failed" || effect === "skipped");
    const isPatient = !world.calm || before < RETRIES_CALM || ends.length === 0;
    const option = world.random.pick(isPatient ? options : ends).name;
    const text = world.random.chance(0.5) ? "because" : null;
    await this.#submit(acting, { type: "item.answer", plan: this.#plan.id, item: id, option, text });
  }

  /** The file loses a task that no other needs, or has it again; what stays may say something new. */
  async #reload({ context }: Acting): Promise<void> {
    const { random } = this.#play.world;
    const all = this.#play.world.setting.plan.tasks;
    const needed = new Set(all.flatMap(({ depends_on }) => depends_on));
    const free = all.filter(({ id }) => !needed.has(id));
    const gone = new Set(free.filter(() => random.chance(0.3)).map(({ id }) => id));
    this.#revision += 1;
    const kept = all.filter(({ id }) => !gone.has(id));
    const tasks = kept.map((task) => ({ ...task, definition: { ...task.definition, priority: random.between(1, 4) } }));
    this.#compiled = { ...this.#compiled, source_hash: `${this.#revision}`, tasks };
    const answer = await loadPlan(context, this.#compiled);
    if (!answer.ok) this.#play.world.log.write(`refused: plan.load: ${answer.problems[0]?.message}`);
  }

  async #add(acting: Acting): Promise<void> {
    const [model] = this.#play.world.setting.plan.tasks;
    const id = `X-${this.#revision}-${this.#play.world.random.between(1, 99)}`;
    const verify = [{ run: `verify work/${id}`, timeout_ms: 60_000 }];
    const definition = {
      ...model!.definition,
      verify,
      files_owned: [],
      depends_on: [],
      lane: "build",
      outside: "warn" as const,
      weakened_checks: "ask" as const,
    };
    const added = { ...model!, id, slug: id, natural_key: id.toLowerCase(), depends_on: [], definition };
    await this.#submit(acting, { type: "task.add", plan: this.#plan.id, added, origin: "operator" });
  }
}
