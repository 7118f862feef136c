/** One open file: prepared statements kept by their text, transactions, and the waiting for other processes. */

import { performance } from "node:perf_hooks";
import { StoreUnavailable } from "../../../ports/store.ts";
import type { Connection, Statement } from "./driver.ts";
import { asUnavailable, isBusy } from "./failures.ts";

/** How long (ms) a command waits for other writers. A load of 100,000 tasks holds the store for little more than a second. */
const BUSY_MS_MAX = 10_000;

/**
 * The pause between two tries by how long a command has waited (ms). Whoever has waited longer asks more often, so that
 * nobody is overtaken for ever; a wait that is longer still means that a large plan is being loaded.
 */
const PAUSES = [
  { waitedMs: 5, pauseMs: 2 },
  { waitedMs: 100, pauseMs: 0.5 },
  { waitedMs: Number.POSITIVE_INFINITY, pauseMs: 5 },
] as const;

export class Database {
  readonly file: string;
  private readonly connection: Connection;
  private readonly busyMsMax: number;
  private closed = false;
  private readonly statements = new Map<string, Statement>();

  constructor(file: string, connection: Connection, busyMsMax: number = BUSY_MS_MAX) {
    this.file = file;
    this.connection = connection;
    this.busyMsMax = busyMsMax;
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
      this.whenFree(() => this.sql("BEGIN IMMEDIATE").run());
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
    const since = performance.now();
    for (;;) {
      try {
        return attempt();
      } catch (error) {
        if (!isBusy(error)) throw error;
        const waitedMs = performance.now() - since;
        if (waitedMs > this.busyMsMax) throw this.busy(error);
        pause(PAUSES.find((step) => waitedMs < step.waitedMs)!.pauseMs * (0.5 + Math.random()));
      }
    }
  }

  /** Turns what is the machine's doing into `StoreUnavailable`. */
  guarded<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw asUnavailable(error, `the store ${this.file}`);
    }
  }

  private busy(cause: unknown): StoreUnavailable {
    const message = `the store ${this.file} was busy for ${this.busyMsMax / 1_000} s`;
    const hint = "Another process holds it: see who has the file open, and try again.";
    return new StoreUnavailable("busy", message, hint, { cause });
  }

  /** Closing twice does nothing. */
  close(): void {
    if (this.closed) return;
    this.closed = true;
    this.statements.clear();
    this.connection.close();
  }
}

const sleeper = new Int32Array(new SharedArrayBuffer(4));

/** Blocks this thread; SQLite is synchronous, and a write that waits must not be overtaken by its own process. */
function pause(ms: number): void {
  Atomics.wait(sleeper, 0, 0, ms);
}
