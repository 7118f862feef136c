/** Maps that can take back what was done to them since a transaction began. */

export class Journal {
  private undo: (() => void)[] = [];

  /** Runs `work` as one step: what it put and dropped is taken back when it throws or says that nothing `changed`. */
  transaction<T extends { changed: boolean }>(work: () => T): T {
    this.undo = [];
    try {
      const result = work();
      if (!result.changed) this.rollBack();
      return result;
    } catch (error) {
      this.rollBack();
      throw error;
    }
  }

  put<K, V>(map: Map<K, V>, key: K, value: V): void {
    const had = map.has(key);
    const before = map.get(key);
    this.undo.push(() => void (had ? map.set(key, before as V) : map.delete(key)));
    map.set(key, value);
  }

  /** Appends to a list that only ever grows. */
  push<V>(list: V[], value: V): void {
    this.undo.push(() => void list.pop());
    list.push(value);
  }

  drop<K, V>(map: Map<K, V>, key: K): void {
    if (!map.has(key)) return;
    const before = map.get(key);
    this.undo.push(() => void map.set(key, before as V));
    map.delete(key);
  }

  private rollBack(): void {
    for (const step of this.undo.reverse()) step();
    this.undo = [];
  }
}
