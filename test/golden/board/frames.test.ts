/** How a plan stands, as a terminal of 80 columns shows it. `UPDATE_GOLDEN=1` writes the frames anew. */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { planFrame } from "../../../src/board/frame.ts";
import { CLOCK_TIMES, spansFrom } from "../../../src/board/time-text.ts";
import { NOW, SITUATIONS } from "../../fixtures/plan-facts.ts";

const plain = (_style: string, text: string): string => text;
const names = Object.keys(SITUATIONS);

function compare(name: string, lines: readonly string[]): void {
  const file = join(import.meta.dirname, `${name}.txt`);
  const frame = `${lines.join("\n")}\n`;
  if (process.env["UPDATE_GOLDEN"] === "1" || !existsSync(file)) {
    expect(process.env["UPDATE_GOLDEN"], `${file} is missing: UPDATE_GOLDEN=1 writes it`).toBe("1");
    writeFileSync(file, frame);
  }
  expect(frame).toBe(readFileSync(file, "utf8"));
}

test.each(names)("the live view, 80 columns and 24 lines: %s", (name) => {
  compare(`live-${name}`, planFrame(SITUATIONS[name]!, { width: 80, height: 24, moments: spansFrom(NOW), paint: plain }));
});

test.each(names)("status on a terminal of 80 columns: %s", (name) => {
  const facts = { ...SITUATIONS[name]!, note: null };
  const shown = planFrame(facts, { width: 80, height: Number.POSITIVE_INFINITY, moments: spansFrom(NOW), paint: plain });
  compare(`status-${name}`, shown);
});

test.each([
  ["narrow", 40, 24],
  ["short", 80, 8],
])("the live view on a %s terminal", (name, width, height) => {
  const facts = SITUATIONS["four-running-one-checked"]!;
  compare(`live-${name}`, planFrame(facts, { width, height, moments: spansFrom(NOW), paint: plain }));
});

test("status that no terminal shows is not cut, and tells times by the clock", () => {
  const everything = Number.POSITIVE_INFINITY;
  const options = { width: everything, height: everything, moments: CLOCK_TIMES, paint: plain };
  compare("status-piped", planFrame(SITUATIONS["four-running-one-checked"]!, options));
});
