import { describe, expect, test } from "vitest";
import { LightController, LightSignal } from "./light-signals.ts";

describe("a light signal", () => {
  test("tells each listener once, with the reason, and those who were taken off not at all", () => {
    const [controller, heard] = [new LightController(), [] as string[]];
    const off = () => heard.push("off");
    controller.signal.addEventListener("abort", off);
    controller.signal.addEventListener("abort", () => heard.push("on"));
    controller.signal.removeEventListener("abort", off);
    controller.abort("first");
    controller.abort("second");
    expect([heard, controller.signal.aborted, controller.signal.reason]).toEqual([["on"], true, "first"]);
  });

  test("of several is aborted with the first of them, also when that was aborted before", () => {
    const [one, other] = [new LightController(), new LightController()];
    const any = LightSignal.any([one.signal, LightSignal.any([other.signal])]);
    const heard: unknown[] = [];
    any.addEventListener("abort", () => heard.push(any.reason));
    expect(any.aborted).toBe(false);
    other.abort("other");
    one.abort("one");
    expect(heard).toEqual(["other"]);
    expect(LightSignal.any([new LightController().signal, one.signal]).aborted).toBe(true);
  });
});
