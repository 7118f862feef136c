/** Workers outside lockstep: they claim, renew, report done or failed, sometimes twice, sometimes late, and they die. */

import { phaseAt } from "../src/core/lane/lane.ts";
import type { PlanRow } from "../src/core/task/rows.ts";
import { claimTask } from "../src/engine/claim.ts";
import { taskDone, taskFail, taskRenew } from "../src/engine/external.ts";
import { StoreUnavailable } from "../src/ports/store.ts";
import { type Acting, actAs, type Play } from "./contexts.ts";
import type { Random } from "./random.ts";

/** Shorter than the real one, so that what a dead worker holds is soon free again. */
const TTL_MS = 120_000;
const WORK_MS = 25_000;

type Habit = "good" | "bad" | "fails" | "dies" | "late" | "twice" | "renews" | "stale" | "dies_done";

const HABITS = { good: 6, bad: 1, fails: 2, dies: 2, late: 2, twice: 2, renews: 2, stale: 2, dies_done: 3 } as const;

export class Workers {
  readonly #play: Play;
  readonly #plan: PlanRow;
  #count = 0;
  #tokens: { task: string; token: number }[] = [];

  constructor(play: Play, plan: PlanRow) {
    this.#play = play;
    this.#plan = plan;
  }

  /** One comes, takes what is ready, and goes. */
  come(): void {
    const { world } = this.#play;
    this.#count += 1;
    const name = `worker${this.#count}`;
    const habit: Habit = world.random.weighted(HABITS);
    const fate =
      habit === "dies_done"
        ? { step: world.random.between(5, 70), when: world.random.pick(["before", "after"] as const) }
        : null;
    const acting = actAs(this.#play, { node: world.setting.nodes[0]!, kind: "worker", name, fate });
    world.log.write(`${acting.mortal.label} comes: ${habit}`);
    void this.#work(acting, name, habit).then(
      () => acting.mortal.exit(),
      (error: Error) => {
        if (!(error instanceof StoreUnavailable))
          world.violate("a worker's command does not break", `${error.message}\n${error.stack}`);
        acting.mortal.exit();
      },
    );
  }

  async #work(acting: Acting, name: string, habit: Habit): Promise<void> {
    const { context, mortal } = acting;
    const { world } = mortal;
    const plan = this.#plan;
    if (habit === "stale" && this.#tokens.length > 0) {
      const { task, token } = world.random.pick(this.#tokens);
      const said = await taskDone(context, { plan, task, token, summary: "again" });
      world.log.write(
        `${name} says again that ${task} is done: ${"rejection" in said ? said.rejection.code : said.task.row.state}`,
      );
      return;
    }
    const ttlMs = habit === "late" ? 10_000 : TTL_MS;
    const answer = await claimTask(context, {
      plan: plan.id,
      task: null,
      kind: "external",
      agent: name,
      run: null,
      ttlMs,
    });
    if (answer.claimed === null) {
      if (answer.rejection !== null) world.coverage.gates.add(answer.rejection.code);
      return;
    }
    const { task, lease, workspace } = answer.claimed;
    this.#tokens.push({ task: task.row.id, token: lease.token });
    await context.clock.sleep(world.random.between(50, habit === "late" ? ttlMs : WORK_MS));
    if (habit === "renews") await taskRenew(context, plan, task.row.id, lease.token, ttlMs);
    if (habit === "late") await context.clock.sleep(lateBy(lease.expires_at - context.clock.now(), world.random));
    if (habit === "dies") return mortal.kill("at its work");
    this.#write(workspace.dir, task.row.slug, task.row.attempts, habit, task.definition.verify[0]?.run);
    const lane = plan.policy.lanes[task.definition.lane]!;
    if (phaseAt(lane, task.row.phase).kind === "review") return this.#review(acting, task.row, lease.token);
    if (habit === "fails") {
      await taskFail(context, { plan, task: task.row.id, token: lease.token, error: "gave up" });
      return;
    }
    const done = { plan, task: task.row.id, token: lease.token, summary: null };
    if (habit === "twice")
      await Promise.all([taskDone(context, done), context.clock.sleep(5).then(() => taskDone(context, done))]);
    else await taskDone(context, done);
  }

  async #review(
    { context, mortal }: Acting,
    row: { id: string; work_commit: string | null },
    token: number,
  ): Promise<void> {
    const word = mortal.random.pick(["approved", "rejected"] as const);
    const verdict = { word, comments: "as seen", commit: row.work_commit };
    await context.store.submit(
      { type: "task.done", plan: this.#plan.id, task: row.id, token, summary: null, verdict },
      { actor: context.actor },
    );
  }

  /** A worker that lost its place writes nowhere. */
  #write(dir: string, slug: string, n: number, habit: Habit, verify: string | undefined): void {
    const { places, setting } = this.#play.world;
    const slot = places.slotAt(dir);
    const isOwn = slot?.task.slug === slug && slot.task.n === n;
    if (setting.mode !== "none" && !isOwn) return;
    const path = verify?.split(" ")[1] ?? `work/${slug}`;
    places.filesAt(dir)?.set(path, `${habit === "bad" ? "bad" : "good"} ${slug}#${n}`);
  }
}

/** Its word comes when its lease has just run out, or long after. */
function lateBy(leftMs: number, random: Random): number {
  return random.chance(0.3) ? WORK_MS : Math.min(Math.max(leftMs, 0), WORK_MS) + random.between(0, 6);
}
