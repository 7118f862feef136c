/** What a command of the command line is: one declaration, from which parsing, help and completion are made. */

import type { Session } from "./session.ts";
import type { Terminal } from "./terminal.ts";

export interface ArgumentSpec {
  name: string;
  required: boolean;
  /** The last argument may take any number of words. */
  many?: boolean;
  summary: string;
}

export interface OptionSpec {
  /** Without dashes: `ttl`. */
  name: string;
  /** One letter, without its dash. */
  short?: string;
  /** What stands for the value in help; absent: the option is a switch. */
  value?: string;
  /** The value may be left out; it is then the empty text. */
  valueOptional?: boolean;
  /** It may be given any number of times. */
  many?: boolean;
  /** With it a command that reads starts programs and writes files of its own. */
  acts?: boolean;
  /** Values that are accepted; absent: any. */
  choices?: readonly string[];
  summary: string;
}

export interface CommandExample {
  command: string;
  what: string;
}

export interface CommandSpec {
  /** One word, or two: `plan load`. */
  name: string;
  summary: string;
  /** What help says beyond the summary. */
  details?: string;
  arguments: readonly ArgumentSpec[];
  options: readonly OptionSpec[];
  examples: readonly CommandExample[];
  /**
   * A command that reads changes nothing: it makes neither a store nor a project's id. One that reports is an agent's,
   * and speaks to nothing but its runner.
   */
  effect: "reads" | "writes" | "reports";
  /** Left out of lists of commands. */
  hidden?: boolean;
  load(): Promise<{ run: CommandRun }>;
}

/** One call of a command: what was written, and what it may use. */
export interface Call {
  spec: CommandSpec;
  /** Every command there is. */
  commands: readonly CommandSpec[];
  /** By position; the ones left out are absent. */
  args: readonly string[];
  /** By name of the option; a switch that was given is the empty text. */
  options: Readonly<Record<string, string>>;
  /** All values of each option that was given, in order. */
  lists: Readonly<Record<string, readonly string[]>>;
  cwd: string;
  env: NodeJS.ProcessEnv;
  terminal: Terminal;
  session: Session;
}

/** Resolves to the exit code. Throws `Failure` for what is refused. */
export type CommandRun = (call: Call) => Promise<number>;
