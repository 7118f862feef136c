/** The runner's side of its spool. */

import { existsSync, readFileSync, statSync, utimesSync } from "node:fs";
import type { Brief } from "../../ports/agent.ts";
import type { Clock } from "../../ports/clock.ts";
import type { ProcessIdentity } from "../../ports/processes.ts";
import {
  type Launch,
  type RunnerControl,
  type RunnerSpool,
  type RunnerWord,
  SPOOL_PROTOCOL,
} from "../../ports/runner.ts";
import { LineReader } from "./line-reader.ts";
import { isOutOfReach } from "./read-file.ts";
import { type SpoolFiles, spoolFiles, writeDurably, writeFirst } from "./spool-files.ts";
import { isReadable, type OwnerWords, parseControl, READABLE } from "./spool-words.ts";
import { ToldLines } from "./told-lines.ts";
import { watchFile } from "./watch-file.ts";

/** An engine's wish is heard at once where the system tells of changed files; the looks by time are the net. */
const HEARD_LOOK_MS = 5_000;
const LOOK_MS = 1_000;

/** So many broken lines are told of; whoever writes more of them is not listened to. */
const PROBLEMS_MAX = 20;
const SHOWN_CHARACTERS = 200;

export function runnerSpool(dir: string, clock: Clock): RunnerSpool {
  const files = spoolFiles(dir);
  const told = new ToldLines(files.events);
  const tell = (word: RunnerWord): number => told.add((n) => JSON.stringify({ n, at: clock.now(), ...word }));
  return {
    claim: (runner) => writeFirst(files.runner, ownerText(runner)),
    launch: () => launchIn(files.launch),
    brief: () => readJson<Brief>(files.brief),
    briefFile: files.brief,
    logFile: files.transcript,
    tell,
    controls: (hear) => hearControls(files, clock, hear, tell),
    heardAt: () => changedAt(files.control),
    outputBytes: () => statSync(files.transcript, { throwIfNoEntry: false })?.size ?? 0,
    sign: () => utimesSync(files.runner, clock.now() / 1_000, clock.now() / 1_000),
    end: (end) => {
      told.flush();
      writeDurably(files.done, JSON.stringify(end));
      // Whoever follows watches the lines: this wakes it.
      if (existsSync(files.events)) utimesSync(files.events, clock.now() / 1_000, clock.now() / 1_000);
    },
  };
}

/** `tell` says what of it could not be read: a file that anybody may write to never ends the runner. */
function hearControls(
  files: SpoolFiles,
  clock: Clock,
  hear: (wish: RunnerControl) => void,
  tell: (word: RunnerWord) => void,
): { close(): void } {
  const reader = new LineReader(files.control);
  const watch = watchFile(files.control, clock);
  let problems = 0;
  const complain = (text: string): void => {
    problems += 1;
    if (problems <= PROBLEMS_MAX) tell({ type: "note", text });
  };
  let isOpen = true;
  const listen = async (): Promise<void> => {
    while (isOpen) {
      for (let lines = linesOf(reader, complain); lines.length > 0; lines = linesOf(reader, complain)) {
        for (const line of lines) {
          const wish = parseControl(line);
          if (wish === null) complain(`a wish of an engine could not be read: ${line.slice(0, SHOWN_CHARACTERS)}`);
          else hear(wish);
        }
      }
      await watch.wait(watch.isHeard ? HEARD_LOOK_MS : LOOK_MS);
    }
    reader.close();
  };
  void listen();
  return {
    close: () => {
      isOpen = false;
      watch.close();
      watch.wake();
    },
  };
}

function linesOf(reader: LineReader, complain: (text: string) => void): string[] {
  const before = reader.dropped;
  try {
    const lines = reader.read();
    if (reader.dropped > before) complain("a wish of an engine is too long to be one");
    return lines;
  } catch (error) {
    const { syscall, message } = error as NodeJS.ErrnoException;
    if (syscall === undefined) throw error;
    complain(`the wishes of engines cannot be read: ${message}`);
    return [];
  }
}

function ownerText(runner: ProcessIdentity): string {
  const words: OwnerWords = { protocol: SPOOL_PROTOCOL, runner };
  return JSON.stringify(words);
}

/** Throws where another version wrote it, so that nothing is started by half-understood words. */
function launchIn(file: string): Launch {
  const launch = readJson<Launch>(file);
  if (isReadable(launch.protocol)) return launch;
  throw new Error(`its engine speaks version ${launch.protocol} of the spool, and this runner reads ${READABLE}`);
}

/** Milliseconds since 1970; null where the file is gone, or out of reach. */
function changedAt(file: string): number | null {
  try {
    return statSync(file).mtimeMs;
  } catch (error) {
    if (isOutOfReach(error)) return null;
    throw error;
  }
}

function readJson<T>(file: string): T {
  return JSON.parse(readFileSync(file, "utf8")) as T;
}
