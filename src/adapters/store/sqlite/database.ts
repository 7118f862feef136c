/** One open file: prepared statements kept by their text, transactions, and the waiting for other processes. */

import { RowUnreadable, StoreUnavailable } from "../../../ports/store.ts";
import type { Connection, Statement } from "./driver.ts";
import { asUnavailable, isBusy } from "./failures.ts";
import { UnreadableColumn } from "./unreadable.ts";
import { machineMs, WaitingLine } from "./waiting-line.ts";

/** How long (ms) a command waits for other writers. A load of 100,000 tasks holds the store for little more than a second. */
const BUSY_MS_MAX = 10_000;

/** More broken rows than this are a broken store, and as many sentences as anybody reads. */
const LEFT_OUT_MAX = 1_000;

/** The pause of who is next: a command holds the store for less than a millisecond. */
const NEXT_PAUSE_MS = 0.2;
/** Whoever stands further back need not look before about as many commands are through as are ahead. */
const PAUSE_MS_EACH = 0.4;
/** Whoever is next for so long waits for the load of a large plan, and need not look so often. */
const LONG_MS = 100;
/** Far below the time after which who does not look is taken for gone. */
const PAUSE_MS_MAX = 5;

export class Database {
  readonly file: string;
  /** What lists have left out, by its message. */
  readonly leftOut = new Map<string, RowUnreadable>();
  private readonly connection: Connection;
  private readonly busyMsMax: number;
  private readonly line: WaitingLine;
  private closed = false;
  private readonly statements = new Map<string, Statement>();

  constructor(file: string, connection: Connection, busyMsMax: number = BUSY_MS_MAX) {
    this.file = file;
    this.connection = connection;
    this.busyMsMax = busyMsMax;
    this.line = new WaitingLine(`${file}.line`);
  }

  /** The statement of this text, prepared at its first use. Texts are constants of the program, so they are few. */
  sql(text: string): Statement {
    let statement = this.statements.get(text);
    if (!statement) {
      statement = this.connection.prepare(text);
      this.statements.set(text, statement);
    }
    return statement;
  }

  exec(sql: string): void {
    this.connection.exec(sql);
  }

  /**
   * Runs `work` in one durable write transaction. It is committed when `work` says `changed`, otherwise rolled back; so
   * it is when `work` throws. Waits for other writers within a bound.
   */
  write<T extends { changed: boolean }>(work: () => T): T {
    return this.guarded(() => {
      this.begin();
      try {
        const result = work();
        this.sql(result.changed ? "COMMIT" : "ROLLBACK").run();
        return result;
      } catch (error) {
        // A full disk or a failing one has ended the transaction already.
        if (this.connection.inTransaction) this.sql("ROLLBACK").run();
        throw error;
      }
    });
  }

  /** Begins a write transaction: at once where nobody waits, else in the order of coming. */
  private begin(): void {
    const since = machineMs();
    let nextSince: number | null = null;
    try {
      for (let now = since; ; now = machineMs()) {
        const ahead = this.line.ahead(since, now);
        if (ahead === 0 && this.hasBegun()) return;
        if (now - since > this.busyMsMax) throw this.busy();
        if (ahead === 0) nextSince ??= now;
        this.line.stand(since, now);
        pause(pauseMs(ahead, nextSince === null ? 0 : now - nextSince));
      }
    } finally {
      this.line.leave();
    }
  }

  /** False while another connection writes. */
  private hasBegun(): boolean {
    try {
      this.sql("BEGIN IMMEDIATE").run();
      return true;
    } catch (error) {
      if (isBusy(error)) return false;
      throw error;
    }
  }

  /** Runs `work`, which only reads, on one state of the store. */
  read<T>(work: () => T): T {
    return this.guarded(() =>
      this.whenFree(() => {
        this.sql("BEGIN").run();
        try {
          return work();
        } finally {
          if (this.connection.inTransaction) this.sql("ROLLBACK").run();
        }
      }),
    );
  }

  /** Tries again while another connection holds the store; for what may be repeated as a whole. */
  whenFree<T>(attempt: () => T): T {
    // The clock is read only by who waits: hardly anybody does, and every look comes by here.
    let since: number | null = null;
    for (;;) {
      try {
        return attempt();
      } catch (error) {
        if (!isBusy(error)) throw error;
        since ??= machineMs();
        const waitedMs = machineMs() - since;
        if (waitedMs > this.busyMsMax) throw this.busy(error);
        pause(pauseMs(0, waitedMs));
      }
    }
  }

  /** Turns what is the machine's doing into `StoreUnavailable`, and a broken row into `RowUnreadable`. */
  guarded<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (error instanceof UnreadableColumn) throw this.unreadable(error);
      throw asUnavailable(error, `the store ${this.file}`);
    }
  }

  /** For lists: what `read` gives for each, without those that cannot be read, which are remembered. */
  readable<From, To>(all: readonly From[], read: (each: From) => To): To[] {
    return all.flatMap((each) => {
      try {
        return [read(each)];
      } catch (error) {
        if (!(error instanceof UnreadableColumn)) throw error;
        const told = this.unreadable(error);
        if (this.leftOut.size < LEFT_OUT_MAX) this.leftOut.set(told.message, told);
        return [];
      }
    });
  }

  private unreadable(error: UnreadableColumn): RowUnreadable {
    const { plan, task, row } = error.place;
    const name = plan === null ? undefined : this.sql("SELECT name FROM plans WHERE id = ?").get(plan)?.name;
    const words = [row, task === null ? null : `task ${task}`, plan === null ? null : `plan ${name ?? plan}`];
    const what = words.filter((word) => word !== null).join(" of ");
    return new RowUnreadable(
      `the store ${this.file} has a row that cannot be read: ${what}: ${error.message}`,
      { plan, task },
      { cause: error },
    );
  }

  private busy(cause?: unknown): StoreUnavailable {
    const message = `the store ${this.file} was busy for ${this.busyMsMax / 1_000} s`;
    const hint = "Another process holds it: see who has the file open, and try again.";
    return new StoreUnavailable("busy", message, hint, { cause });
  }

  /** Closing twice does nothing. */
  close(): void {
    if (this.closed) return;
    this.closed = true;
    this.statements.clear();
    this.line.close();
    this.connection.close();
  }
}

/** By how many are ahead and how long nobody has been (ms), with some jitter, so that two never keep step. */
function pauseMs(ahead: number, nextMs: number): number {
  const own = nextMs < LONG_MS ? NEXT_PAUSE_MS : PAUSE_MS_MAX;
  return (ahead === 0 ? own : Math.min(ahead * PAUSE_MS_EACH, PAUSE_MS_MAX)) * (0.75 + Math.random() / 2);
}

const sleeper = new Int32Array(new SharedArrayBuffer(4));

/** Blocks this thread; SQLite is synchronous, and a write that waits must not be overtaken by its own process. */
function pause(ms: number): void {
  Atomics.wait(sleeper, 0, 0, ms);
}
