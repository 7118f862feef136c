import { expect, test } from "vitest";
import { activeTask, NOW, planFacts } from "../../test/fixtures/plan-facts.ts";
import { FakeTerminal } from "../../test/fixtures/terminal.ts";
import type { LiveView } from "./live-view.ts";
import { keepDrawn } from "./live-view.ts";
import type { PlanFacts } from "./plan-facts.ts";
import { Region } from "./region.ts";

/** A view whose waits are told, and end when the test says so. */
function viewOf(facts: PlanFacts) {
  const terminal = new FakeTerminal(80, 24);
  const told = { facts, now: NOW, looks: 0, waits: [] as number[], resized: (): void => undefined };
  const stopped = new AbortController();
  let go = (): void => undefined;
  let reached = (): void => undefined;
  const screen = {
    write: (text: string) => terminal.write(text),
    size: () => terminal,
    onResize: (resized: () => void) => {
      told.resized = resized;
      return () => undefined;
    },
    paint: (_style: string, text: string) => text,
  };
  const view: LiveView = {
    region: new Region(screen),
    screen,
    clock: { now: () => told.now, monotonic: () => told.now, sleep: async () => undefined },
    look: async () => {
      told.looks += 1;
      return told.facts;
    },
    changes: {
      clear: () => undefined,
      wake: () => go(),
      wait: async (until) => {
        told.waits.push(until - told.now);
        await new Promise<void>((resolve) => {
          go = resolve;
          reached();
        });
      },
    },
    stopped: stopped.signal,
  };
  /** Lets the view look and draw, until it waits again. */
  const turn = (): Promise<void> =>
    new Promise((resolve) => {
      reached = resolve;
      go();
    });
  const drawn = keepDrawn(view);
  const end = async (): Promise<void> => {
    stopped.abort();
    go();
    await drawn;
  };
  return { terminal, told, turn, end, begun: new Promise<void>((resolve) => (reached = resolve)) };
}

test("while something runs its time moves on once a second", async () => {
  const { terminal, told, turn, begun, end } = viewOf(planFacts({ active: [activeTask({ since: NOW })] }));
  await begun;
  expect(terminal.lines.at(-1)).toBe("▶ F-001  Cart totals  #1 by coder  0 s");
  told.now += 1_000;
  await turn();
  expect(terminal.lines.at(-1)).toBe("▶ F-001  Cart totals  #1 by coder  1 s");
  expect(told.waits).toEqual([1_000, 1_000]);
  await end();
});

test("while nothing runs it is looked at seldom, and more often when something is soon due", async () => {
  const { told, turn, begun, end } = viewOf(planFacts({ due_at: NOW + 3_600_000 }));
  await begun;
  told.facts = planFacts({ due_at: NOW + 50_000 });
  await turn();
  expect(told.waits).toEqual([30_000, 1_000]);
  await end();
});

test("a change is shown at once, and so is another size", async () => {
  const { terminal, told, turn, begun, end } = viewOf(planFacts());
  await begun;
  told.facts = planFacts({ note: "stopping" });
  await turn();
  expect(terminal.lines.at(-1)).toBe("stopping");
  told.resized();
  await turn();
  expect(told.looks).toBe(3);
  await end();
});
