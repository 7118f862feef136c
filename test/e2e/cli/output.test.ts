import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";

const SAYS = join(import.meta.dirname, "children/says.ts");

function says(...argv: string[]): ChildProcess {
  const child = spawn(process.execPath, ["--import", "tsx", SAYS, ...argv], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

const lines = (count: number) => Array.from({ length: count }, (_, i) => `${String(i).padStart(99, ".")}\n`).join("");

test.each([1, 163, 164, 5_000])("%i lines come whole and in order", async (count) => {
  expect(await text(says(String(count)).stdout!)).toBe(lines(count));
});

test("what a full pipe does not take at once is not lost", async () => {
  const child = says("500", "full");
  const said = await text(child.stdout!);
  expect(said.replace(/^(filling\n)+/, "")).toBe(lines(500));
  expect(said.length).toBeGreaterThan(lines(500).length);
});

test.each([1, 5_000])("a reader that is gone before %i lines ends the process in silence", async (count) => {
  const child = says(String(count));
  child.stdout!.destroy();
  expect(await once(child, "close")).toEqual([141, null]);
});

test.each([1, 5_000])("a reader that is gone before %i lines keeps nobody from what it does besides", async (count) => {
  const child = says(String(count), "on");
  child.stdout!.destroy();
  expect(await once(child, "close")).toEqual([7, null]);
});
