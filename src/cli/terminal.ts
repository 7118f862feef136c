/** The three streams of this process, and what they can show. */

import type { Paint, Style } from "../board/paint.ts";
import type { Region } from "../board/region.ts";
import { isoTime, wireJson } from "../engine/wire-event.ts";
import type { Output } from "./output.ts";

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
  /** Columns of stdout; no bound where no person reads it. */
  columns(): number;
  /** The terminal that stderr is, to draw on in place; null where it is none, or everything is JSON. */
  canvas(): Canvas | null;
  /** From now on everything is printed above this region; null: there is none any more. */
  printAbove(region: Pick<Region, "above"> | null): void;
  style: Paint;
  /** A moment for people: relative on a screen, ISO-8601 elsewhere. */
  time(ms: number): string;
}

export interface Canvas {
  stream: NodeJS.WriteStream;
  paint: Paint;
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
  const isDumb = env["TERM"] === "dumb";
  const paint: Paint = (style, text) => (env["NO_COLOR"] || isDumb ? text : painted(style, text));
  let region: Pick<Region, "above"> | null = null;
  const write = (output: Output, data: string | Uint8Array): void => {
    if (region) region.above(() => output.write(data));
    else output.write(data);
  };
  return {
    print: (text) => write(stdout, `${harmless(text)}\n`),
    write: (bytes) => write(stdout, bytes),
    note: (text) => write(stderr, `${harmless(text)}\n`),
    printJson: (value) => write(stdout, `${wireJson(value)}\n`),
    json,
    get isScreen() {
      return isScreen();
    },
    columns: () => (isScreen() ? stdout.stream().columns || COLUMNS : Number.POSITIVE_INFINITY),
    canvas: () => (json || isDumb || !stderr.isScreen() ? null : { stream: stderr.stream(), paint }),
    printAbove: (above) => {
      region = above;
    },
    style: (style, text) => (isScreen() ? paint(style, text) : text),
    time: (ms) => (isScreen() ? relativeTime(ms, now()) : isoTime(ms)),
  };
}

/** Of a terminal that does not tell its size. */
const COLUMNS = 80;

const CODES: Readonly<Record<Style, number>> = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, blue: 34 };

function painted(style: Style, text: string): string {
  return text === "" ? "" : `\u001b[${CODES[style]}m${text}\u001b[0m`;
}

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
