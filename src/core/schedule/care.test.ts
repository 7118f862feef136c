import { expect, test } from "vitest";
import { attendedText, type Care, isLeft, leftText, uncarriedText, unlandedText } from "./care.ts";

const ALIVE = { pid: 7, isAlive: true };
const DEAD = { pid: 8, isAlive: false };
const CARE: Care = { plan: "p", isCarried: null, engine: null, runner: null, lander: null };

test("an attempt is left where its engine is known to be dead, and not where it is another machine's", () => {
  expect(isLeft({ ...CARE, engine: DEAD })).toBe(true);
  expect(isLeft({ ...CARE, engine: ALIVE, runner: DEAD })).toBe(false);
  expect(isLeft(CARE)).toBe(false);
});

test("one that had no runner yet says so", () => {
  expect(leftText({ ...CARE, engine: DEAD }, 2)).toBe(
    "no engine attends attempt 2: process 8 is gone, and no runner of it is known; whatever its agent still does is heard by nobody; `lockstep run p` ends what is left of it, keeps its work and tries again, `lockstep stop p` only ends it",
  );
});

test.each<[Partial<Care>, string]>([
  [{}, ""],
  [{ engine: ALIVE }, ", attended by process 7"],
  [{ engine: ALIVE, runner: DEAD }, ", attended by process 7, its runner is process 8, which has ended just now"],
])("who attends a live attempt is told as far as it is known (%#)", (care, text) => {
  expect(attendedText({ ...CARE, ...care })).toBe(text);
});

test.each<[Partial<Care>, string | null]>([
  [{ lander: ALIVE, isCarried: false }, null],
  [{ lander: DEAD, isCarried: true }, "process 8, which was landing it, is gone; `lockstep run p` takes that up"],
  [{ isCarried: false }, "no engine carries the run of p; `lockstep run p` carries on, `lockstep stop p` ends it"],
  [{ isCarried: true }, null],
  [{}, null],
])("what is to be landed stands still where nobody is there to do it (%#)", (care, text) => {
  expect(unlandedText({ ...CARE, ...care })).toBe(text);
});

test("a plan without a live run waits for no engine", () => {
  expect(uncarriedText(CARE)).toBeNull();
});
