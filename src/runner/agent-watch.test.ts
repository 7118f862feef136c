import { expect, test } from "vitest";
import type { AgentEvent } from "../ports/agent.ts";
import type { Watch } from "../ports/runner.ts";
import { AgentWatch } from "./agent-watch.ts";
import { stopOf } from "./stop.ts";

const NOTHING: Watch = { first_output_ms: null, silence_ms: null };
const TEXT: AgentEvent = { type: "text", text: "x" };

/** A watch whose clock, output and questions the test plays. */
function rig(watch: Partial<Watch> = {}, timeoutMs = 100_000) {
  const world = { now: 5_000, bytes: 7, isWaiting: false };
  const stop = stopOf(new AbortController().signal);
  const sleeping: { ms: number; wake: () => void }[] = [];
  const watching = new AgentWatch({
    clock: {
      now: () => -1,
      monotonic: () => world.now,
      sleep: (ms, signal) =>
        new Promise((resolve) => {
          sleeping.push({ ms, wake: resolve });
          signal?.addEventListener("abort", () => resolve(), { once: true });
        }),
    },
    stop,
    watch: { ...NOTHING, ...watch },
    timeoutMs,
    outputBytes: () => world.bytes,
    isWaiting: () => world.isWaiting,
  });
  const passed = (ms: number): void => {
    world.now += ms;
    watching.look();
  };
  return { world, stop, sleeping, watching, passed };
}

test("an agent has its time, and not a moment more", () => {
  const { stop, passed } = rig({}, 4_000);
  passed(3_999);
  expect(stop.asked).toBeNull();
  passed(1);
  expect(stop.asked).toEqual({ outcome: "timed_out", why: "no end within 4 s" });
});

test("while it waits for a person its time stands still", () => {
  const { world, stop, watching, passed } = rig({ silence_ms: 1_000 }, 4_000);
  passed(900);
  watching.look();
  world.isWaiting = true;
  passed(600_000);
  watching.look(true);
  world.isWaiting = false;
  watching.heard(TEXT);
  for (let second = 0; second < 3; second += 1) {
    passed(999);
    watching.heard(TEXT);
  }
  expect(stop.asked).toBeNull();
  passed(103);
  expect(stop.asked).toEqual({ outcome: "timed_out", why: "no end within 4 s" });
});

test("an operator gives it more time, of which an old wish takes nothing away", async () => {
  const { stop, watching, passed, sleeping } = rig({}, 4_000);
  const running = watching.run();
  expect(sleeping.map(({ ms }) => ms)).toEqual([4_000]);
  watching.extend(6_000);
  watching.extend(5_000);
  await new Promise(setImmediate);
  expect(sleeping.at(-1)!.ms).toBe(6_000);
  passed(5_999);
  expect(stop.asked).toBeNull();
  passed(1);
  expect(stop.asked).toEqual({ outcome: "timed_out", why: "no end within 6 s" });
  sleeping.at(-1)!.wake();
  await running;
});

test("field report 16: one that never says anything is given up by its first output, not by its silence", () => {
  const { stop, passed } = rig({ first_output_ms: 5_000, silence_ms: 1_000 });
  passed(4_999);
  expect(stop.asked).toBeNull();
  passed(1);
  expect(stop.asked).toEqual({ outcome: "stalled", why: "no first output within 5 s" });
});

test("one that falls silent is given up; what it prints and what it says are life", () => {
  const { world, stop, watching, passed } = rig({ silence_ms: 1_000 });
  passed(50_000);
  expect(stop.asked).toBeNull();
  world.bytes += 1;
  passed(10);
  passed(999);
  watching.heard(TEXT);
  passed(999);
  expect(stop.asked).toBeNull();
  passed(1);
  expect(stop.asked).toEqual({ outcome: "stalled", why: "nothing was heard of it for 1 s" });
});

test("OR: a quiet long tool call is not silence: all its tools have to have ended", () => {
  const { stop, watching, passed } = rig({ silence_ms: 1_000 });
  for (const id of ["a", "b"]) watching.heard({ type: "tool", name: "Bash", about: "npm test", id });
  passed(20_000);
  watching.heard({ type: "tool_ended", id: "a" });
  passed(20_000);
  expect(stop.asked).toBeNull();
  watching.heard({ type: "tool_ended", id: "b" });
  passed(1_000);
  expect(stop.asked).toEqual({ outcome: "stalled", why: "nothing was heard of it for 1 s" });
});

test("it looks often enough to see when output came, and not at all often where nobody asked for a watch", async () => {
  const { watching, sleeping } = rig({ first_output_ms: 5_000 });
  const running = watching.run();
  expect(sleeping[0]!.ms).toBe(500);
  watching.close();
  await running;
  const mute = rig({ silence_ms: 2_000 });
  const waiting = mute.watching.run();
  expect(mute.sleeping[0]!.ms).toBe(200);
  mute.watching.close();
  await waiting;
  const idle = rig();
  const idling = idle.watching.run();
  expect(idle.sleeping[0]!.ms).toBe(100_000);
  idle.watching.close();
  await idling;
});
