/** Wakes listeners after commits: of this process at once, of others by a file that they touch, once a second at the latest. */

import { closeSync, type FSWatcher, futimesSync, openSync, watch } from "node:fs";
import type { Database } from "./database.ts";
import { asUnavailable } from "./failures.ts";

/** The net below the wake file: file systems and sandboxes may not report changes. Costs one read of shared memory. */
const NET_MS = 1_000;

export class Watch {
  private readonly db: Database;
  private readonly file: string;
  private readonly listeners = new Set<() => void>();
  private touched: number | null = null;
  private watcher: FSWatcher | null = null;
  private net: NodeJS.Timeout | null = null;
  private seen = 0;
  private waking = false;

  constructor(db: Database) {
    this.db = db;
    this.file = `${db.file}.wake`;
  }

  add(wake: () => void): () => void {
    const listener = () => wake();
    if (this.listeners.size === 0) this.start();
    this.listeners.add(listener);
    return () => {
      if (this.listeners.delete(listener) && this.listeners.size === 0) this.stop();
    };
  }

  /** Tells everybody that this process has committed. */
  committed(now: number): void {
    this.touched ??= this.open();
    futimesSync(this.touched, now / 1_000, now / 1_000);
    if (this.listeners.size > 0) this.wakeSoon();
  }

  close(): void {
    this.listeners.clear();
    this.stop();
    if (this.touched !== null) closeSync(this.touched);
    this.touched = null;
  }

  private open(): number {
    try {
      return openSync(this.file, "a", 0o600);
    } catch (error) {
      throw asUnavailable(error, `the store ${this.db.file}`);
    }
  }

  private start(): void {
    this.touched ??= this.open();
    this.seen = this.version();
    this.net = setInterval(() => this.look(), NET_MS);
    this.watcher = this.watchFile();
  }

  /** Null where the platform has no more watches to give: then the net alone wakes. */
  private watchFile(): FSWatcher | null {
    try {
      const watcher = watch(this.file, () => this.look());
      watcher.on("error", () => watcher.close());
      return watcher;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
      return null;
    }
  }

  private stop(): void {
    if (this.net) clearInterval(this.net);
    this.watcher?.close();
    this.net = null;
    this.watcher = null;
  }

  /** This process touches the file too; only a commit of another changes the version. */
  private look(): void {
    const version = this.version();
    if (version === this.seen) return;
    this.seen = version;
    this.wakeSoon();
  }

  private version(): number {
    return Number(
      this.db.guarded(() => this.db.whenFree(() => this.db.sql("PRAGMA data_version").get()))?.data_version,
    );
  }

  /** Many commits in one turn wake once. */
  private wakeSoon(): void {
    if (this.waking) return;
    this.waking = true;
    setImmediate(() => {
      this.waking = false;
      for (const listener of [...this.listeners]) listener();
    });
  }
}
