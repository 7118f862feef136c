import { noticeOf } from "../core/attempt/foreseen.ts";
import type { AttemptRow, TaskRow } from "../core/task/rows.ts";
import type { LiveRunner } from "../ports/runner.ts";

/** What the agent of a live attempt is to know while it works, on its way to its runner, which says each of it once. */
export class LiveNotices {
  #handedOn = "[]";

  async handOn({ foreseen }: AttemptRow, task: Pick<TaskRow, "target" | "mode">, runner: LiveRunner): Promise<void> {
    const messages = (foreseen ?? []).map((conflict) => noticeOf(conflict, task));
    const now = JSON.stringify(messages);
    if (now === this.#handedOn) return;
    this.#handedOn = now;
    await runner.control({ type: "notices", messages });
  }
}
