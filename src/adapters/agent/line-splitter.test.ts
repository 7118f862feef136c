import fc from "fast-check";
import { expect, test } from "vitest";
import { LINE_BYTES_MAX, LineSplitter } from "./line-splitter.ts";

function split(pieces: Uint8Array[]): [string, number][] {
  const heard: [string, number][] = [];
  const splitter = new LineSplitter((line, leftOut) => heard.push([line, leftOut]));
  for (const piece of pieces) splitter.take(Buffer.from(piece));
  splitter.end();
  return heard;
}

/** Cuts bytes at the given places. */
function cut(bytes: Buffer, places: number[]): Buffer[] {
  const at = [0, ...places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return at.slice(1).map((to, index) => bytes.subarray(at[index], to));
}

test("lines are the same wherever the bytes were cut, also inside a character", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "grapheme" })), fc.array(fc.nat()), (lines, places) => {
      const whole = lines.map((line) => line.replace(/[\n\r\ufeff]/g, ""));
      const bytes = Buffer.from(whole.map((line) => `${line}\n`).join(""));
      expect(split(cut(bytes, places))).toEqual(whole.map((line) => [line, 0]));
    }),
  );
});

test("any bytes at all become lines of valid text, and none is lost", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 500 }), fc.array(fc.nat()), (bytes, places) => {
      const heard = split(cut(Buffer.from(bytes), places));
      const newlines = bytes.filter((byte) => byte === 0x0a).length;
      expect(heard).toHaveLength(newlines + (bytes.length > 0 && bytes.at(-1) !== 0x0a ? 1 : 0));
      for (const [line] of heard) expect(Buffer.from(line).toString()).toBe(line);
    }),
  );
});

test("a last line without a newline is a line, and so is an empty one", () => {
  expect(split([Buffer.from("a\n\nb")])).toEqual([
    ["a", 0],
    ["", 0],
    ["b", 0],
  ]);
  expect(split([Buffer.from("a\r\nb\r")])).toEqual([
    ["a", 0],
    ["b", 0],
  ]);
  expect(split([])).toEqual([]);
});

test("bytes that are no UTF-8 become replacement characters", () => {
  expect(split([Uint8Array.from([0x61, 0xff, 0x62, 0x0a])])).toEqual([["a\ufffdb", 0]]);
});

test("of a line above 1 MiB the beginning is kept, and the next line is whole again", () => {
  const long = Buffer.alloc(LINE_BYTES_MAX, "x");
  expect(split([long, Buffer.from("\nnext\n")])).toEqual([
    [long.toString(), 0],
    ["next", 0],
  ]);
  expect(split([long, Buffer.from("yz"), Buffer.from("w\nnext")])).toEqual([
    [long.toString(), 3],
    ["next", 0],
  ]);
});

test("what was skipped is said of the line under way", () => {
  const heard: [string, number][] = [];
  const splitter = new LineSplitter((line, leftOut) => heard.push([line, leftOut]));
  splitter.take(Buffer.from("half"));
  splitter.skip(5);
  splitter.take(Buffer.from("rest\n"));
  splitter.end();
  expect(heard).toEqual([
    ["half", 5],
    ["rest", 0],
  ]);
});
