import { spawn } from "node:child_process";
import { attachProgram, runnerStatus } from "../../compose/windows.ts";
import type { AttemptRow } from "../../core/task/rows.ts";
import { watchChanges } from "../../engine/wait.ts";
import {
  type AddressedAttempt,
  addressedAttempt,
  nameOf,
  noOutput,
  showOutput,
  standingOf,
} from "../addressed-attempt.ts";
import type { Call, CommandRun } from "../command.ts";
import { EXIT } from "../exit-codes.ts";

export const run: CommandRun = async (call) => {
  const shown = await addressedAttempt(call);
  if (shown.attempt.kind === "external") throw noOutput(shown);
  if (!(await watchedInTmux(call, shown))) await showOutput(call, shown, () => mayGoOn(call, shown));
  call.terminal.note(await howItStands(call, shown));
  return EXIT.ok;
};

/** False where it has no session, or this is no terminal: then nothing was shown. */
async function watchedInTmux({ terminal, session, env }: Call, shown: AddressedAttempt): Promise<boolean> {
  if (terminal.json || !terminal.isScreen || !process.stdin.isTTY || shown.attempt.state === "settled") return false;
  const { stateDir } = await session.project();
  const program = await attachProgram(stateDir, nameOf(shown), env);
  if (program === null) return false;
  const [command, ...args] = program.argv as [string, ...string[]];
  const child = spawn(command, args, { env: program.env, stdio: "inherit" });
  return new Promise((resolve) => {
    // It ended between being found and being shown.
    child.once("error", () => resolve(false));
    child.once("close", (code) => resolve(code === 0));
  });
}

/** Until it is settled; or until its runner has ended and no engine is there that would settle it. */
async function mayGoOn(call: Call, shown: AddressedAttempt): Promise<boolean> {
  if ((await shown.now()).state === "settled") return false;
  return (await statusOf(call, shown)) !== "ended";
}

async function statusOf({ session }: Call, shown: AddressedAttempt): Promise<"running" | "ended" | "unknown"> {
  const { stateDir } = await session.project();
  return runnerStatus(stateDir, nameOf(shown));
}

async function howItStands(call: Call, shown: AddressedAttempt): Promise<string> {
  const isOver = (await statusOf(call, shown)) === "ended";
  const attempt = isOver ? await settledSoon(call, shown) : await shown.now();
  return isOver && attempt.state !== "settled"
    ? `attempt ${attempt.n} of ${shown.task.id} has ended; the next \`lockstep run\` settles it`
    : standingOf(shown, attempt);
}

/** An engine that is there settles what has ended within a moment. */
async function settledSoon({ session }: Call, shown: AddressedAttempt): Promise<AttemptRow> {
  const { store, clock } = await session.context();
  const changes = watchChanges(store, clock);
  const until = clock.now() + SETTLED_WAIT_MS;
  try {
    for (;;) {
      changes.clear();
      const now = await shown.now();
      if (now.state === "settled" || clock.now() >= until) return now;
      await changes.wait(until, []);
    }
  } finally {
    changes.close();
  }
}

/** Saving what is uncommitted comes first. */
const SETTLED_WAIT_MS = 5_000;
