/** Time that passes only when nobody has anything left to do at this moment. */

import type { Clock } from "../src/ports/clock.ts";

interface Due {
  at: number;
  /** Of two at one time the one that was asked for first is first. */
  order: number;
  /** Null once it has been called off. */
  act: (() => void) | null;
}

/** 2026-01-01, on the wall clock. */
const BEGINNING = 1_767_225_600_000;

export class VirtualClock implements Clock {
  #elapsed = 0;
  #wall = BEGINNING;
  #order = 0;
  readonly #heap: Due[] = [];

  now(): number {
    return this.#wall + this.#elapsed;
  }

  monotonic(): number {
    return this.#elapsed;
  }

  /** The wall clock jumps; nothing that waits for a span notices. */
  jump(ms: number): void {
    this.#wall += ms;
  }

  /** Calls `act` after `ms`; the answer calls it off. */
  after(ms: number, act: () => void): () => void {
    const due: Due = { at: this.#elapsed + Math.max(0, ms), order: this.#order++, act };
    push(this.#heap, due);
    return () => {
      due.act = null;
    };
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const end = (): void => {
        callOff();
        signal?.removeEventListener("abort", end);
        resolve();
      };
      const callOff = this.after(ms, end);
      signal?.addEventListener("abort", end);
    });
  }

  /** Goes on to the next thing that is due and does it. False when nothing will ever happen again. */
  advance(): boolean {
    for (let due = pop(this.#heap); due !== null; due = pop(this.#heap)) {
      const { act } = due;
      if (act === null) continue;
      this.#elapsed = due.at;
      due.act = null;
      act();
      return true;
    }
    return false;
  }
}

function isBefore(a: Due, b: Due): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}

function push(heap: Due[], due: Due): void {
  let at = heap.length;
  heap.push(due);
  while (at > 0) {
    const above = (at - 1) >> 1;
    if (!isBefore(due, heap[above]!)) break;
    heap[at] = heap[above]!;
    at = above;
  }
  heap[at] = due;
}

function pop(heap: Due[]): Due | null {
  const first = heap[0];
  const last = heap.pop();
  if (first === undefined || last === undefined) return null;
  if (heap.length === 0) return first;
  let at = 0;
  for (;;) {
    let below = 2 * at + 1;
    if (below >= heap.length) break;
    if (below + 1 < heap.length && isBefore(heap[below + 1]!, heap[below]!)) below += 1;
    if (!isBefore(heap[below]!, last)) break;
    heap[at] = heap[below]!;
    at = below;
  }
  heap[at] = last;
  return first;
}
