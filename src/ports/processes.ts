/** A process, known so well that a recycled pid is never mistaken for it. */
export interface ProcessIdentity {
  node: string;
  /** Changes when the machine starts anew. */
  boot: string;
  pid: number;
  /** When the kernel started it, in the kernel's own unit; never compared across boots. */
  start: string;
}

/** Characters of the end of an output that stand in a row of the store. */
export const TAIL_CHARACTERS = 4_000;

export interface CheckRequest {
  command: string;
  cwd: string;
  timeoutMs: number;
  /** The whole environment of the command. */
  env: Record<string, string>;
  /** A file that does not exist yet: standard output and error go straight into it. Above 9 MiB its middle is cut. */
  logFile: string;
  /** Aborting kills the command and everything in its process group. */
  signal?: AbortSignal;
}

/**
 * How a check or command ended. `green`: exit 0. `red`: any other exit, also by a signal of its own or because its output
 * broke its bound. `error`: it never ran, `tail` says why. `killed`: the request's signal was aborted.
 */
export interface CheckEnd {
  outcome: "green" | "red" | "timed_out" | "error" | "killed";
  /** 124 when it was timed out, 127 when it could not be started, 128 + n when signal n ended it. */
  exit_code: number;
  /** The end of the output, at most 4,000 characters, decoded leniently. */
  tail: string;
  ms: number;
}

/** A check or command that has a process but has not been let go: nothing of it has run. */
export interface HeldProcess {
  /** Null when bash could not be started, or has ended already: nothing is to be recorded, and `release` says why. */
  process: ProcessIdentity | null;
  /**
   * Lets the command run and resolves when it has ended and its process group is gone; never waits for what it left in
   * the background. Exactly one of `release` and `abandon` is called, once.
   */
  release(): Promise<CheckEnd>;
  /** Ends it unrun. */
  abandon(): Promise<void>;
}

export type HeldCheck = HeldProcess;

export interface CommandRequest {
  /** The program, looked up on `env.PATH`, and its arguments, handed on as they are. */
  argv: readonly string[];
  cwd: string;
  timeoutMs: number;
  /** The whole environment of the program. */
  env: Record<string, string>;
  /** Given to the program, which need not read it. */
  stdin: string;
  /** As for a check. */
  logFile: string;
  signal?: AbortSignal;
}

/** Child processes of this machine. */
export interface Processes {
  /** This process. */
  self(): ProcessIdentity;
  /** True only when this very process lives; a process of another node or boot is never alive here. */
  alive(identity: ProcessIdentity): boolean;
  /**
   * Ends the process and its group, if it is that very process. Resolves when it is gone. When it has ended already,
   * what a check or command left in its group is ended (Linux).
   */
  kill(identity: ProcessIdentity): Promise<void>;
  /**
   * Ends every process that was started with this entry (`NAME=value`) in its environment: what is left of an attempt
   * whose leading process ended while nobody watched. Linux only; elsewhere it does nothing.
   */
  killBearers(entry: string): Promise<void>;
  /**
   * Starts bash for a check and holds it before the first word of the command, so that its identity can be committed
   * first. A parent that dies takes the held check with it.
   */
  holdCheck(request: CheckRequest): Promise<HeldProcess>;
  /** The same for a program that no shell interprets. */
  holdCommand(request: CommandRequest): Promise<HeldProcess>;
}
