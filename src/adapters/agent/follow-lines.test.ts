import { appendFileSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { followLines } from "./follow-lines.ts";

const dir = mkdtempSync(join(tmpdir(), "lockstep-lines-"));
afterAll(() => rmSync(dir, { recursive: true }));

/** Follows a file until `end` is called; `line(n)` resolves with the n-th line. */
function follow(name: string, text = "") {
  const file = join(dir, name);
  writeFileSync(file, text);
  const lines: string[] = [];
  const leftOut: number[] = [];
  const waiting: { count: number; resolve(): void }[] = [];
  let end!: () => void;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const done = followLines({
    file,
    ended,
    hear: (line, missing) => {
      lines.push(line);
      leftOut.push(missing);
      for (const { count, resolve } of waiting) if (lines.length >= count) resolve();
    },
  });
  const heard = (count: number) =>
    new Promise<void>((resolve) => (lines.length >= count ? resolve() : waiting.push({ count, resolve })));
  return { file, lines, leftOut, heard, end, done };
}

test("lines are heard while the file grows, each once and in order", async () => {
  const { file, lines, heard, end, done } = follow("grows", "there before\n");
  await heard(1);
  appendFileSync(file, "one\ntw");
  await heard(2);
  expect(lines).toEqual(["there before", "one"]);
  appendFileSync(file, "o\n");
  await heard(3);
  end();
  await done;
  expect(lines).toEqual(["there before", "one", "two"]);
});

test("a line is heard soon after it was written, not only when the net looks", async () => {
  const { file, heard, end, done } = follow("soon");
  const began = performance.now();
  for (let count = 1; count <= 5; count += 1) {
    appendFileSync(file, "a line\n");
    await heard(count);
  }
  expect(performance.now() - began).toBeLessThan(3_000);
  end();
  await done;
});

test("what was written just before the end is heard, also without a newline", async () => {
  const { file, lines, end, done } = follow("last");
  appendFileSync(file, "a\nb");
  end();
  await done;
  expect(lines).toEqual(["a", "b"]);
});

test("a file that never was has no lines", async () => {
  const heard: string[] = [];
  await followLines({ file: join(dir, "none"), ended: Promise.resolve(), hear: (line) => heard.push(line) });
  expect(heard).toEqual([]);
});

test("what is too far behind is left out and counted; the end of the file is heard", async () => {
  const file = join(dir, "flood");
  writeFileSync(file, "");
  truncateSync(file, 200 * 1024 * 1024);
  appendFileSync(file, "\nthe last word\n");
  const lines: [number, number][] = [];
  let last = "";
  const hear = (line: string, leftOut: number) => {
    lines.push([line.length, leftOut]);
    last = line;
  };
  await followLines({ file, ended: Promise.resolve(), hear });
  expect(last).toBe("the last word");
  expect(lines).toHaveLength(3);
  expect(lines[0]).toEqual([0, 136 * 1024 * 1024 + 15]);
});

test("what a listener throws is told to whoever waits", async () => {
  const file = join(dir, "throws");
  writeFileSync(file, "a\n");
  const hear = () => {
    throw new Error("our own mistake");
  };
  await expect(followLines({ file, ended: new Promise(() => {}), hear })).rejects.toThrow("our own mistake");
});
