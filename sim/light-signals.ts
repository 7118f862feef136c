/**
 * Signals that cost little: a simulation makes hundreds of thousands of them. As much of the real ones as the product uses;
 * of several that were aborted the reason is the first one's in the list, not the first one's in time.
 */

type Listener = () => void;

export class LightSignal {
  aborted = false;
  reason: unknown = undefined;
  readonly #listeners = new Set<Listener>();

  addEventListener(_type: "abort", listener: Listener): void {
    this.#listeners.add(listener);
  }

  removeEventListener(_type: "abort", listener: Listener): void {
    this.#listeners.delete(listener);
  }

  abort(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    callAll(this.#listeners);
  }

  static any(signals: readonly (LightSignal | AnySignal)[]): AnySignal {
    return new AnySignal(signals);
  }
}

/** Aborted as soon as one of others is. It holds on to them only while somebody listens. */
class AnySignal {
  readonly #of: readonly (LightSignal | AnySignal)[];
  readonly #listeners = new Set<Listener>();
  readonly #fire = (): void => {
    this.#letGo();
    callAll(this.#listeners);
  };

  constructor(of: readonly (LightSignal | AnySignal)[]) {
    this.#of = of;
  }

  get aborted(): boolean {
    return this.#of.some(({ aborted }) => aborted);
  }

  get reason(): unknown {
    return this.#of.find(({ aborted }) => aborted)?.reason;
  }

  addEventListener(type: "abort", listener: Listener): void {
    if (this.#listeners.size === 0) for (const signal of this.#of) signal.addEventListener(type, this.#fire);
    this.#listeners.add(listener);
  }

  removeEventListener(_type: "abort", listener: Listener): void {
    this.#listeners.delete(listener);
    if (this.#listeners.size === 0) this.#letGo();
  }

  #letGo(): void {
    for (const signal of this.#of) signal.removeEventListener("abort", this.#fire);
  }
}

export class LightController {
  readonly signal = new LightSignal();

  abort(reason: unknown = ABORTED): void {
    this.signal.abort(reason);
  }
}

/** Of those who listened nobody is called again. */
function callAll(listeners: Set<Listener>): void {
  const called = [...listeners];
  listeners.clear();
  for (const listener of called) listener();
}

const ABORTED = new Error("aborted");
