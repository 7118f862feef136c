import type { LiveRunner } from "../ports/runner.ts";
import { PAGE } from "../ports/store.ts";
import type { EngineContext } from "./context.ts";
import type { LiveTask } from "./live-task.ts";

/** What operators say to the agent of a live attempt, on its way to its runner, which obeys each number once. */
export class LiveMessages {
  #handedOn = 0;
  #seen = 0;

  /** `said`: how often operators have spoken until now. */
  async handOn(
    { store }: EngineContext,
    { task: { row }, attempt }: LiveTask,
    said: number,
    runner: LiveRunner,
  ): Promise<void> {
    while (this.#handedOn < said) {
      const page = await store.events({ after: this.#seen, plan: row.plan, task: row.id, limit: PAGE });
      for (const event of page) {
        this.#seen = event.seq;
        if (event.type !== "attempt.interrupted" || event.attempt !== attempt.n) continue;
        const { message, interrupts } = event.data;
        this.#handedOn = interrupts;
        await runner.control({ type: "interrupt", number: interrupts, message });
      }
      if (page.length < PAGE) return;
    }
  }
}
