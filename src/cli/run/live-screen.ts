/** The live view of a run on this process's terminal, which gets its cursor back however this process ends. */

import { keepDrawn } from "../../board/live-view.ts";
import type { PlanFacts } from "../../board/plan-facts.ts";
import { Region } from "../../board/region.ts";
import type { Screen } from "../../board/screen.ts";
import type { PlanRow } from "../../core/task/rows.ts";
import { beside } from "../../engine/beside.ts";
import type { EngineContext } from "../../engine/context.ts";
import { watchChanges } from "../../engine/wait.ts";
import { readPlanFacts } from "../plan-facts.ts";
import { earlier, readWaits, type Waits } from "../plan-waits.ts";
import type { Canvas, Terminal } from "../terminal.ts";

/** What only this process knows of the run. */
export type OwnWord = Partial<Pick<PlanFacts, "note" | "carrier">>;

export interface LiveScreen {
  /** False where there is no terminal to show anything on. */
  isShown: boolean;
  show(word: OwnWord): void;
  /** Takes the view away. Rejects with what kept it from being drawn. */
  close(): Promise<void>;
}

export function openLiveScreen(
  terminal: Terminal,
  context: EngineContext,
  plan: PlanRow,
  agent: string | null,
): LiveScreen {
  const canvas = terminal.canvas();
  if (canvas === null) return { isShown: false, show: () => undefined, close: async () => undefined };
  const { store, clock } = context;
  const screen = screenOn(canvas);
  const region = new Region(screen);
  const changes = watchChanges(store, clock);
  let own: OwnWord = {};
  // Why tasks wait takes many reads to tell, and changes only when something was committed.
  let known: Waits = { waits: [], opens_at: null };
  let isStale = true;
  const unwatch = store.watch(() => {
    isStale = true;
  });
  const look = async (): Promise<PlanFacts> => {
    const facts = await readPlanFacts(store, plan, async () => context);
    if (isStale) {
      isStale = false;
      known = await readWaits(context, plan.id, agent);
    }
    return { ...facts, waits: known.waits, due_at: earlier(facts.due_at, known.opens_at), ...own };
  };
  const forget = keepTerminalWhole(region, changes.wake);
  terminal.printAbove(region);
  // A failure to draw is kept until the run has ended: it must not cut the run off.
  const drawing = beside((stopped) =>
    keepDrawn({ region, screen, clock, look, changes, stopped }).finally(() => {
      unwatch();
      changes.close();
      terminal.printAbove(null);
      region.close();
      forget();
    }),
  );
  return {
    isShown: true,
    show: (word) => {
      own = { ...own, ...word };
      changes.wake();
    },
    close: drawing.close,
  };
}

/** Of a terminal that does not tell its size. */
const COLUMNS = 80;
const ROWS = 24;

function screenOn({ stream, paint }: Canvas): Screen {
  return {
    write: (text) => void stream.write(text),
    size: () => ({ columns: stream.columns || COLUMNS, rows: stream.rows || ROWS }),
    onResize: (resized) => {
      stream.on("resize", resized);
      return () => void stream.off("resize", resized);
    },
    paint,
  };
}

/** Signals that end a process without a word, unless it listens. */
const ENDING = ["SIGHUP", "SIGQUIT"] as const;

/** Returns the way to stop. */
function keepTerminalWhole(region: Region, draw: () => void): () => void {
  const leave = (): void => region.leave();
  const end = (name: NodeJS.Signals): void => {
    region.leave();
    for (const each of ENDING) process.off(each, end);
    process.kill(process.pid, name);
  };
  const suspend = (): void => {
    region.leave();
    process.kill(process.pid, "SIGSTOP");
  };
  process.on("exit", leave);
  for (const name of ENDING) process.on(name, end);
  process.on("SIGTSTP", suspend);
  process.on("SIGCONT", draw);
  return () => {
    process.off("exit", leave);
    for (const name of ENDING) process.off(name, end);
    process.off("SIGTSTP", suspend);
    process.off("SIGCONT", draw);
  };
}
