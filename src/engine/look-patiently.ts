import { isPassing, TROUBLE_LOOK_MS, TROUBLE_MS_MAX } from "./patience.ts";
import { step } from "./run-loop.ts";
import type { Running } from "./running.ts";

/** One look at the plan; false when the run is over. Throws what does not pass, or not in time, or once the run is to stop. */
export async function lookPatiently(running: Running, onTrouble: (message: string) => void): Promise<boolean> {
  const { clock } = running.context;
  const { stop, kill } = running.request;
  const began = clock.monotonic();
  for (let trouble: Error | null = null; ; ) {
    try {
      if (trouble !== null) await tellTrouble(running, trouble);
      trouble = null;
      return await step(running);
    } catch (error) {
      const isOver = stop.aborted || kill.aborted || clock.monotonic() - began > TROUBLE_MS_MAX;
      if (!isPassing(error) || isOver) throw error;
      trouble = error;
      onTrouble(`${error.message}: waiting for that to pass`);
      await clock.sleep(TROUBLE_LOOK_MS, AbortSignal.any([stop, kill]));
    }
  }
}

/** Told when it is over: while it lasted nothing could be written. */
async function tellTrouble({ context, request }: Running, { message }: Error): Promise<void> {
  const { store, actor, clock } = context;
  const failure = { about: null, error: message, retry_at: clock.now() };
  await store.submit({ type: "engine.fail", plan: request.plan.id, failure }, { actor });
}
