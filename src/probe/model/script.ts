/** What the scripted model plays. */

export type Turn =
  /** What it says, and the tools that it then uses. The last turn of a script uses none. `{cwd}` is the agent's place. */
  | Speech
  /** The service refuses, each time that it is asked. */
  | { refuse: Refusal }
  /** The service refuses so many times, then it answers. */
  | { refuse: Refusal; times: number; say: string }
  /** Nothing is ever answered; or nothing after the answer's headers. */
  | { hang: true | "after_headers" }
  /** The answer breaks off after these words: each time, or so many times, and then it is whole. */
  | { cut: string; times?: number };

export interface Speech {
  say?: string;
  use?: ToolUse[];
  /** What this answer is said to cost, instead of `USAGE`. */
  usage?: ModelUsage;
}

/** `namespace`: of a server of tools, where the API has one. */
export interface ToolUse {
  name: string;
  namespace?: string;
  input: Record<string, unknown>;
}

/** Tokens of one answer, in the words of the Anthropic API: the buckets do not overlap. */
export interface ModelUsage {
  input_tokens: number;
  cache_creation_input_tokens: number;
  cache_read_input_tokens: number;
  output_tokens: number;
}

/** One question, as far as scripts go. */
export interface Heard {
  script: string;
  turn: number;
  /** The message that names the script. */
  prompt: string;
  /** The scripts that the whole conversation names, in order. */
  scripts: string[];
}

export interface Refusal {
  status: number;
  type: string;
  message: string;
  headers?: Record<string, string>;
  /** What else stands in the error. */
  more?: Record<string, unknown>;
}

/** Calls of tools with the agent's own place in them; where that is, is asked only of those that name it. */
export function placed(use: readonly ToolUse[], place: () => string): ToolUse[] {
  const written = JSON.stringify(use);
  return JSON.parse(written.includes("{cwd}") ? written.replaceAll("{cwd}", place()) : written) as ToolUse[];
}
