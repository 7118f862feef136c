/** Machines and the processes on them. Pids come round again soon, so that a pid alone says nothing. */

import type { ProcessIdentity } from "../src/ports/processes.ts";
import type { VirtualClock } from "./clock.ts";

export type ProcessKind = "engine" | "runner" | "agent" | "child" | "check" | "worker" | "operator";

export interface SimProcess {
  kind: ProcessKind;
  name: string;
  identity: ProcessIdentity;
  /** Entries of its environment that tell whose it is. */
  marks: readonly string[];
  /** Called once, when it has ended, however it did. */
  ended: (() => void)[];
  /** It gets no time to run until then, on the clock that never jumps. */
  frozenUntil: number;
}

export interface Spawn {
  node: string;
  kind: ProcessKind;
  name: string;
  marks?: readonly string[];
}

/** So few that numbers are used again within minutes. */
const FIRST_PID = 100;
const PIDS = 45;

export class Machines {
  readonly #clock: VirtualClock;
  readonly #processes = new Map<string, SimProcess>();
  readonly #boots = new Map<string, number>();
  readonly #nextPid = new Map<string, number>();
  #starts = 0;

  constructor(clock: VirtualClock) {
    this.#clock = clock;
  }

  spawn({ node, kind, name, marks = [] }: Spawn): SimProcess {
    const pid = this.#freePid(node);
    const boot = `boot-${this.#boots.get(node) ?? 0}`;
    const start = `${this.#clock.monotonic()}.${this.#starts++}`;
    const process: SimProcess = {
      kind,
      name,
      identity: { node, boot, pid, start },
      marks,
      ended: [],
      frozenUntil: 0,
    };
    this.#processes.set(`${node} ${pid}`, process);
    return process;
  }

  find({ node, boot, pid, start }: ProcessIdentity): SimProcess | null {
    const found = this.#processes.get(`${node} ${pid}`);
    return found && found.identity.boot === boot && found.identity.start === start ? found : null;
  }

  isAlive(identity: ProcessIdentity): boolean {
    return this.find(identity) !== null;
  }

  /** The process is gone; false when it was already. */
  end(identity: ProcessIdentity): boolean {
    const found = this.find(identity);
    if (found === null) return false;
    this.#processes.delete(`${identity.node} ${identity.pid}`);
    for (const act of found.ended.splice(0)) act();
    return true;
  }

  all(): SimProcess[] {
    return [...this.#processes.values()];
  }

  ofKind(kind: ProcessKind): SimProcess[] {
    return this.all().filter((process) => process.kind === kind);
  }

  bearers(node: string, mark: string): SimProcess[] {
    return this.all().filter(({ identity, marks }) => identity.node === node && marks.includes(mark));
  }

  /** The machine starts anew: nothing on it lives on. */
  reboot(node: string): SimProcess[] {
    const killed = this.all().filter(({ identity }) => identity.node === node);
    for (const { identity } of killed) this.end(identity);
    this.#boots.set(node, (this.#boots.get(node) ?? 0) + 1);
    this.#nextPid.delete(node);
    return killed;
  }

  #freePid(node: string): number {
    let offset = this.#nextPid.get(node) ?? 0;
    while (this.#processes.has(`${node} ${FIRST_PID + (offset % PIDS)}`)) offset += 1;
    this.#nextPid.set(node, offset + 1);
    return FIRST_PID + (offset % PIDS);
  }
}
