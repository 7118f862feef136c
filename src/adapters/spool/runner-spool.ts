/** The runner's side of its spool. */

import { appendFileSync, statSync, utimesSync } from "node:fs";
import type { Brief } from "../../ports/agent.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Launch, RunnerControl, RunnerSpool } from "../../ports/runner.ts";
import { LineReader } from "./line-reader.ts";
import { readIfThere, type SpoolFiles, spoolFiles, writeDurably, writeFirst } from "./spool-files.ts";
import { watchFile } from "./watch-file.ts";

/** An engine's wish is heard at once where the system tells of changed files; the looks by time are the net. */
const HEARD_LOOK_MS = 5_000;
const LOOK_MS = 1_000;

export function runnerSpool(dir: string, clock: Clock): RunnerSpool {
  const files = spoolFiles(dir);
  let lines = 0;
  return {
    claim: (runner) => writeFirst(files.runner, JSON.stringify({ runner })),
    launch: () => readJson<Launch>(files.launch),
    brief: () => readJson<Brief>(files.brief),
    briefFile: files.brief,
    logFile: files.transcript,
    tell: (word) => {
      lines += 1;
      appendFileSync(files.events, `${JSON.stringify({ n: lines, at: clock.now(), ...word })}\n`, { mode: 0o600 });
      return lines;
    },
    controls: (hear) => hearControls(files, clock, hear),
    heardAt: () => statSync(files.control, { throwIfNoEntry: false })?.mtimeMs ?? null,
    end: (end) => {
      writeDurably(files.done, JSON.stringify(end));
      // Whoever follows watches the lines: this wakes it.
      utimesSync(files.events, clock.now() / 1_000, clock.now() / 1_000);
    },
  };
}

function hearControls(files: SpoolFiles, clock: Clock, hear: (wish: RunnerControl) => void): { close(): void } {
  const reader = new LineReader(files.control);
  const watch = watchFile(files.control, clock);
  let isOpen = true;
  const listen = async (): Promise<void> => {
    while (isOpen) {
      for (let lines = reader.read(); lines.length > 0; lines = reader.read())
        for (const line of lines) hear(JSON.parse(line) as RunnerControl);
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

function readJson<T>(file: string): T {
  return JSON.parse(readIfThere(file) ?? "null") as T;
}
