import { knownRoot } from "../../compose/project-id.ts";
import { commandLineActor, openProject, ProjectUnusable } from "../../compose.ts";
import type { EngineContext } from "../../engine/context.ts";
import { killUnheard, type LiveAttempt, type Panicked, panic, stillLive } from "../../engine/panic.ts";
import { watchChanges } from "../../engine/wait.ts";
import type { Call, CommandRun } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { textOption } from "../read-options.ts";
import { endWithoutEngine } from "../without-engine.ts";

/** A killed agent is gone and settled within seconds, unless whoever attends it does not hear. */
const GONE_WAIT_MS = 10_000;

export const run: CommandRun = async (call) => {
  const context = await call.session.context();
  const { store, actor } = context;
  const panicked = await panic(
    store,
    actor,
    `panic: ${textOption(call, "reason") ?? "an operator stopped everything"}`,
  );
  for (const project of new Set(panicked.runs.map((of) => of.project))) await endIn(call, context, project);
  const unheard = await untilGone(context, panicked.attempts);
  await killUnheard(context, unheard);
  const left = await stillLive(store, unheard);
  await tell(call, context, panicked, left);
  return left.length === 0 ? EXIT.ok : EXIT.refused;
};

/** A project whose engine is gone has nobody who would end what is alive of it. */
async function endIn(call: Call, context: EngineContext, project: string): Promise<void> {
  const own = await call.session.project();
  if (project === context.project.id) return endWithoutEngine(own, null);
  const cwd = knownRoot(project, own.stateDir);
  // Where it lies is known to the node that it lies on: its engine there hears of the panic.
  if (cwd === null) return;
  const { env } = call;
  try {
    const other = await openProject({ cwd, env, store: own.storeFile, writes: true, actor: commandLineActor(env) });
    try {
      await endWithoutEngine(other, null);
    } finally {
      await other.close();
    }
  } catch (error) {
    if (!(error instanceof ProjectUnusable)) throw error;
    call.terminal.note(`${cwd}: ${error.message}`);
  }
}

/** Those that are still there after a while. */
async function untilGone({ store, clock }: EngineContext, attempts: readonly LiveAttempt[]): Promise<LiveAttempt[]> {
  const changes = watchChanges(store, clock);
  const until = clock.monotonic() + GONE_WAIT_MS;
  try {
    for (;;) {
      changes.clear();
      const left = await stillLive(store, attempts);
      const ms = until - clock.monotonic();
      if (left.length === 0 || ms <= 0) return left;
      await changes.wait(clock.now() + ms, []);
    }
  } finally {
    changes.close();
  }
}

async function tell(
  { terminal }: Call,
  { store }: EngineContext,
  { runs, attempts }: Panicked,
  left: readonly LiveAttempt[],
): Promise<void> {
  const names = new Map<string, string>();
  for (const { plan } of runs) names.set(plan, (await store.plan(plan))?.name ?? plan);
  const addresses = (of: readonly LiveAttempt[]): string[] =>
    of.map(({ plan, task, n }) => `${names.get(plan)}/${task}#${n}`);
  if (terminal.json) {
    terminal.printJson({ runs: [...names.values()], killed: addresses(attempts), left: addresses(left) });
    return;
  }
  if (runs.length === 0) terminal.print("no run is live: nothing was stopped");
  for (const name of names.values()) terminal.print(`${name}: paused; \`lockstep resume ${name}\` lets it go on`);
  if (attempts.length > 0)
    terminal.print(`killed: ${attempts.length} ${attempts.length === 1 ? "attempt" : "attempts"}`);
  if (left.length > 0)
    terminal.note(`killed, but not settled, since their engine does not answer: ${addresses(left).join(", ")}`);
}
