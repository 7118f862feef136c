/** A child process that plays seeds as it is told. */

import type { Job, Told } from "./campaign.ts";
import { simulate } from "./simulate.ts";

// A failing seed is played again by itself, with its traces; here they would cost more than all else.
Error.stackTraceLimit = 0;

/** Lives of seeds that this process has played. */
let lives = 0;

process.on("message", (job: Job) => {
  void play(job).then((told) => process.send?.(told));
  // What breaks the simulation itself ends this process, and with it the campaign.
});

async function play({ seed, twice, shared }: Job): Promise<Told> {
  lives += 1;
  const played = await simulate(seed, lives, null, shared);
  lives += 1;
  const again = twice ? await simulate(seed, lives, null, shared) : played;
  return { played, differs: again.hash !== played.hash || again.lines !== played.lines };
}
