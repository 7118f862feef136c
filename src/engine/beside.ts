/** What goes on beside something else until that is over. */

export interface Beside {
  /** Ends it. Rejects with what went wrong in it: that must not cut off what it goes on beside. */
  close(): Promise<void>;
}

/** Begins at once; `over` aborts when it is to end. */
export function beside(act: (over: AbortSignal) => Promise<unknown>): Beside {
  const over = new AbortController();
  const acting = act(over.signal).then(
    () => null,
    (error: unknown) => ({ error }),
  );
  return {
    close: async () => {
      over.abort();
      const failed = await acting;
      if (failed !== null) throw failed.error;
    },
  };
}
