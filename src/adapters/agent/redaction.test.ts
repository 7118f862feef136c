import fc from "fast-check";
import { expect, test } from "vitest";
import { Redaction } from "./redaction.ts";

const LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

const letters = (min: number, max = min) =>
  fc.array(fc.constantFrom(...LETTERS), { minLength: min, maxLength: max }).map((all) => all.join(""));

const VALUE = 'Grüße, \\ "quoted" und mehr';

/** Each with the part of it that must never be written. */
const secret = fc.oneof(
  letters(40, 3_000).map((body) => [`sk-${"ant"}-${body}`, body] as const),
  letters(36).map((body) => [`gh${"p"}_${body}`, body] as const),
  fc.tuple(letters(20), letters(20), letters(43)).map(([a, b, c]) => [`eyJ${a}.eyJ${b}.${c}`, c] as const),
  letters(30).map((body) => [`Bearer 1${body}`, body] as const),
  letters(12).map((body) => [`https://anna:${body}@example.com/`, body] as const),
  letters(64).map((body) => [`-----BEGIN ${"PRIVATE"} KEY-----\n${body}\n`, body] as const),
  fc.constant([VALUE, "und mehr"] as const),
);

const plain = fc.oneof(
  fc.constantFrom(
    "\n",
    " ",
    '","',
    "commit 5f2d7c1be0a94f3e8d6c7b5a493827160f1e2d3c\n",
    "sk-",
    "eyJ",
    "://",
    "é€😀",
    "Bearer ",
  ),
  letters(1, 700),
);

/** The output in pieces of these sizes, over and over. */
function inPieces(redaction: Redaction, bytes: Buffer, sizes: readonly number[]): Buffer {
  const stream = redaction.stream();
  const written: Buffer[] = [];
  for (let [at, n] = [0, 0]; at < bytes.length; n += 1) {
    const size = sizes[n % sizes.length]!;
    written.push(stream.take(Buffer.from(bytes.subarray(at, at + size))));
    expect(redaction.held).toBeLessThanOrEqual(1024);
    at += size;
  }
  written.push(stream.end());
  expect(redaction.held).toBe(0);
  return Buffer.concat(written);
}

const sizes = fc.array(fc.integer({ min: 1, max: 2_000 }), { minLength: 1, maxLength: 5 });

test("a secret is never written, wherever the output is cut into pieces", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(plain, secret), { maxLength: 12 }), sizes, (parts, cuts) => {
      const text = parts.map((part) => (typeof part === "string" ? part : `${part[0]} `)).join("");
      const written = inPieces(new Redaction([VALUE]), Buffer.from(text), cuts).toString();
      for (const part of parts) if (typeof part !== "string") expect(written).not.toContain(part[1]);
      expect(written).toBe(inPieces(new Redaction([VALUE]), Buffer.from(text), [text.length * 4]).toString());
    }),
    { numRuns: 300 },
  );
});

test("a secret is never written, at whichever of its bytes the output is cut", () => {
  for (const whole of [
    `x sk-${"ant"}-${LETTERS} y`,
    `a://b:${LETTERS}@c`,
    `0 ${VALUE} 1`,
    `-H 'Bearer ${LETTERS}1'\n`,
  ]) {
    const bytes = Buffer.from(whole);
    const expected = inPieces(new Redaction([VALUE]), bytes, [bytes.length]).toString();
    expect(expected).toContain("[redacted]");
    for (let cut = 1; cut < bytes.length; cut++) {
      expect(inPieces(new Redaction([VALUE]), bytes, [cut, bytes.length]).toString()).toBe(expected);
    }
  }
});

test("other bytes stay what they are, also those that are no text", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 5_000 }), sizes, (bytes, cuts) => {
      expect(inPieces(new Redaction(), Buffer.from(bytes), cuts).equals(Buffer.from(bytes))).toBe(true);
    }),
  );
});

test("a line is written when it is whole, and only the beginning of one that may hold a secret waits", () => {
  const redaction = new Redaction();
  const stream = redaction.stream();
  expect(stream.take(Buffer.from("one\ntwo sk-")).toString()).toBe("one\n");
  expect(redaction.held).toBe(7);
  expect(stream.take(Buffer.from("no\n")).toString()).toBe("two sk-no\n");
});

test("text and values of events are redacted as the output is", () => {
  const redaction = new Redaction([VALUE]);
  expect(redaction.text(`say ${VALUE}!`)).toBe("say [redacted]!");
  expect(redaction.value({ type: "note", text: VALUE })).toEqual({ type: "note", text: "[redacted]" });
});
