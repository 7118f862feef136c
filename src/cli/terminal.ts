/** The three streams of this process, and what they can show. */

import { isoTime, wireJson } from "../engine/wire-event.ts";
import type { Output } from "./output.ts";

export type Style = "bold" | "dim" | "red" | "green" | "yellow" | "blue";

export interface Terminal {
  /** Data, for people or as JSON lines; ends each with a line break. */
  print(text: string): void;
  /** Data as it is, with no line break added. */
  write(bytes: Uint8Array): void;
  /** Everything that is not data. */
  note(text: string): void;
  /** A document or a line of a stream: times become ISO-8601 in UTC. */
  printJson(value: unknown): void;
  json: boolean;
  /** True when a person reads stdout. */
  isScreen: boolean;
  style(style: Style, text: string): string;
  /** A moment for people: relative on a screen, ISO-8601 elsewhere. */
  time(ms: number): string;
}

export interface TerminalOptions {
  stdout: Output;
  stderr: Output;
  env: NodeJS.ProcessEnv;
  json: boolean;
  now(): number;
}

export function openTerminal({ stdout, stderr, env, json, now }: TerminalOptions): Terminal {
  // Asked late: what is only for scripts needs no answer.
  let known: boolean | undefined;
  const isScreen = (): boolean => {
    known ??= stdout.isScreen();
    return known;
  };
  const isColoured = (): boolean => !env["NO_COLOR"] && env["TERM"] !== "dumb" && isScreen();
  return {
    print: (text) => stdout.write(`${harmless(text)}\n`),
    write: (bytes) => stdout.write(bytes),
    note: (text) => stderr.write(`${harmless(text)}\n`),
    printJson: (value) => stdout.write(`${wireJson(value)}\n`),
    json,
    get isScreen() {
      return isScreen();
    },
    style: (style, text) => (isColoured() ? `\u001b[${CODES[style]}m${text}\u001b[0m` : text),
    time: (ms) => (isScreen() ? relativeTime(ms, now()) : isoTime(ms)),
  };
}

const CODES: Readonly<Record<Style, number>> = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, blue: 34 };

/** Our own colours, and every character that could make a terminal do something, or show a text in another order. */
const POWERFUL =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these very characters are what a foreign text must not bring.
  /\u001b\[(?:[012]|3[1-4])m|[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** What agents and checks print is shown, never obeyed. */
function harmless(text: string): string {
  return text.replace(POWERFUL, (found) =>
    found.length > 1 ? found : `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

const UNITS: readonly [name: string, ms: number][] = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1_000],
];

/** `3 min ago`, `in 2 h`, `now`. */
export function relativeTime(ms: number, now: number): string {
  const distance = Math.abs(ms - now);
  const unit = UNITS.find(([, size]) => distance >= size);
  if (!unit) return "now";
  const span = `${Math.floor(distance / unit[1])} ${unit[0]}`;
  return ms < now ? `${span} ago` : `in ${span}`;
}
