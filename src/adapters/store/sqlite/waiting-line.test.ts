import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { WaitingLine } from "./waiting-line.ts";

function lineOf(count: number): { lines: WaitingLine[]; file: string } {
  const directory = mkdtempSync(join(tmpdir(), "lockstep-line-"));
  const file = join(directory, "store.db.line");
  const lines = Array.from({ length: count }, (_, place) => new WaitingLine(file, place));
  onTestFinished(() => {
    for (const line of lines) line.close();
    rmSync(directory, { recursive: true });
  });
  return { lines, file };
}

test("whoever came later waits for those who came before, and for nobody else", () => {
  const [first, second, third] = lineOf(3).lines as [WaitingLine, WaitingLine, WaitingLine];
  expect(first.ahead(100, 100)).toBe(0);
  first.stand(100, 100);
  second.stand(101, 101);
  expect(first.ahead(100, 102)).toBe(0);
  expect(second.ahead(101, 102)).toBe(1);
  expect(third.ahead(102, 102)).toBe(2);
});

test("who leaves is waited for no more", () => {
  const [first, second] = lineOf(2).lines as [WaitingLine, WaitingLine];
  first.stand(100, 100);
  first.leave();
  expect(second.ahead(101, 101)).toBe(0);
});

test("who has not looked for 50 ms is passed by, until it looks again", () => {
  const [first, second] = lineOf(2).lines as [WaitingLine, WaitingLine];
  first.stand(100, 100);
  expect(second.ahead(120, 149)).toBe(1);
  expect(second.ahead(120, 150)).toBe(0);
  first.stand(100, 151);
  expect(second.ahead(120, 152)).toBe(1);
});

test("who has waited for long is passed by later: after a quarter of its wait more", () => {
  const [first, second] = lineOf(2).lines as [WaitingLine, WaitingLine];
  first.stand(1_000, 2_000);
  expect(second.ahead(1_500, 2_299)).toBe(1);
  expect(second.ahead(1_500, 2_300)).toBe(0);
});

test("what stands there from before the machine was started anew keeps nobody waiting", () => {
  const [first, second] = lineOf(2).lines as [WaitingLine, WaitingLine];
  first.stand(90_000, 90_000);
  expect(second.ahead(100_000, 100)).toBe(0);
});

test("who never waited writes nothing, and the file is its owner's alone", () => {
  const { lines, file } = lineOf(1);
  expect(lines[0]?.ahead(1, 1)).toBe(0);
  lines[0]?.leave();
  expect(statSync(file).size).toBe(0);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test("where its file cannot be had nobody waits for anybody", () => {
  const line = new WaitingLine("/nowhere/store.db.line");
  line.stand(1, 1);
  expect(line.ahead(2, 2)).toBe(0);
});
