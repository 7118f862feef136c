/** Ctrl-C and its like: the first asks to end well, the second to end now. */

import { EXIT } from "./exit-codes.ts";

export interface StopSignals {
  first: AbortSignal;
  second: AbortSignal;
  /** 130 or 143 after the first signal, else null. */
  exitCode(): number | null;
  close(): void;
}

export function stopSignals(): StopSignals {
  const first = new AbortController();
  const second = new AbortController();
  let exit: number | null = null;
  const stop = (code: number) => (): void => {
    if (exit === null) first.abort();
    else second.abort();
    exit ??= code;
  };
  const handlers = { SIGINT: stop(EXIT.interrupted), SIGTERM: stop(EXIT.terminated) };
  for (const [name, handler] of Object.entries(handlers)) process.on(name, handler);
  return {
    first: first.signal,
    second: second.signal,
    exitCode: () => exit,
    close: () => {
      for (const [name, handler] of Object.entries(handlers)) process.off(name, handler);
    },
  };
}
