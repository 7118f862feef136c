/** Adds up what the turns of one attempt used: an adapter tells of each turn by itself. */

import { plus } from "../core/policy/cost.ts";
import type { AgentEnd, AgentEvent } from "../ports/agent.ts";

type Used = Pick<AgentEnd, "usage" | "cost_usd">;

const NOTHING: Used = { usage: null, cost_usd: null };

export class TurnUsage {
  /** In the turns that have ended. */
  #before: Used = NOTHING;
  /** Heard last in the turn under way. */
  #heard: Used = NOTHING;

  /** The event, as of the whole attempt. */
  heard(event: AgentEvent): AgentEvent {
    if (event.type !== "usage") return event;
    this.#heard = { usage: event.usage, cost_usd: event.cost_usd };
    const { usage, cost_usd } = sum(this.#before, this.#heard);
    return { ...event, usage: usage ?? event.usage, cost_usd };
  }

  /** The end of a turn, as of the whole attempt; what it does not tell stays untold. */
  ended(end: AgentEnd): AgentEnd {
    const { usage, cost_usd } = end;
    const turn = { usage: usage ?? this.#heard.usage, cost_usd: cost_usd ?? this.#heard.cost_usd };
    const whole = sum(this.#before, turn);
    [this.#before, this.#heard] = [whole, NOTHING];
    return { ...end, usage: usage && whole.usage, cost_usd: cost_usd === null ? null : whole.cost_usd };
  }
}

/** What has no price makes the price of all of it unknown. */
function sum(one: Used, other: Used): Used {
  if (isNothing(one)) return other;
  if (isNothing(other)) return one;
  return {
    usage: one.usage === null || other.usage === null ? (one.usage ?? other.usage) : plus(one.usage, other.usage),
    cost_usd: one.cost_usd === null || other.cost_usd === null ? null : one.cost_usd + other.cost_usd,
  };
}

function isNothing({ usage, cost_usd }: Used): boolean {
  return usage === null && cost_usd === null;
}
