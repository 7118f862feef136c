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
  /** It was asked to end, did not within its grace, and was killed; or was killed without being asked. */
  forced: boolean;
  /** Its output broke this bound, bytes, and it was killed for that. */
  flooded_at?: number;
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

/** The standard input of a running program, open until `end`. What is written to one that no longer reads is lost: no error. */
export interface CommandInput {
  write(text: string): void;
  end(): void;
}

/** Hears what a program prints, in pieces as they come, before any of it is written. */
export interface CommandOutput {
  /** Gives what is to be written in its place. The bytes may be overwritten afterwards. */
  take(bytes: Buffer): Buffer;
  /** Nothing more comes: gives what it kept back. */
  end(): Buffer;
}

/** What a program in a sandbox sees beside the system, which it can read: absolute paths. Missing ones are left out. */
export interface SandboxView {
  /** Seen as empty, but for what is named below. */
  hidden: string[];
  readable: string[];
  writable: string[];
  /** False: it has no network, not even loopback of the machine. */
  network: boolean;
}

export interface CommandRequest {
  /** The program, looked up on `env.PATH`, and its arguments, handed on as they are. */
  argv: readonly string[];
  cwd: string;
  /** Null: no limit. */
  timeoutMs: number | null;
  /** The whole environment of the program. */
  env: Record<string, string>;
  /**
   * Given to the program, which need not read it: a text; or for a conversation whoever writes its part of it, called
   * when the program is let go.
   */
  stdin: string | ((input: CommandInput) => void);
  /** As for a check, but what stands in it already stays. */
  logFile: string;
  /** Goes between the program and the log file; without it the kernel writes straight into the file. */
  output?: CommandOutput;
  /** Aborting asks the program and its process group to end, and kills them after a grace. */
  signal?: AbortSignal;
  /** Aborting kills them at once. */
  kill?: AbortSignal;
  /** It runs in a pid namespace of its own where the machine has that; not unless this is true. */
  contain?: boolean;
  /** It runs in a sandbox, which is a pid namespace of its own too, or not at all. */
  sandbox?: SandboxView;
}

/**
 * What is proved of the processes that an agent's program leaves behind.
 *
 * - `namespace`: the program runs in a pid namespace of its own (Linux), and what is left there ends with it, whatever it
 *   did to hide: nothing outlives it but what a service of the machine started at its word (`docker`, `systemd-run`).
 * - `marks`: what left its process group is found by the mark in its environment, and by its working directory (Linux).
 *   One that clears its environment, leaves its session and works elsewhere is not found.
 * - `group`: its process group ends with it, and when it is ended from outside also all that descends from it then.
 */
export type Containment = "namespace" | "marks" | "group";

/** Child processes of this machine. */
export interface Processes {
  /** The best that this machine gives, found out by trying it, once: some milliseconds. */
  containment(): Promise<Containment>;
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
   * Ends every process that works inside the directory, also in a removed one, and was started no earlier than `since`:
   * for a directory that an attempt had for itself. Never this process or one that it descends from, and none that has
   * or hosts a terminal: that is a person's. Linux only; elsewhere it does nothing.
   */
  killInside(dir: string, since: ProcessIdentity): Promise<void>;
  /**
   * Starts bash for a check and holds it before the first word of the command, so that its identity can be committed
   * first. A parent that dies takes the held check with it.
   */
  holdCheck(request: CheckRequest): Promise<HeldProcess>;
  /** The same for a program that no shell interprets. */
  holdCommand(request: CommandRequest): Promise<HeldProcess>;
}
