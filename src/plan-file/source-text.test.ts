import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readSourceText, sourceOfBytes } from "./source-text.ts";

const directory = mkdtempSync(join(tmpdir(), "lockstep-source-"));
afterAll(() => rmSync(directory, { recursive: true }));

function fileOf(name: string, content: string | Buffer): string {
  const path = join(directory, name);
  writeFileSync(path, content);
  return path;
}

async function messageOf(path: string): Promise<string> {
  const read = await readSourceText(path);
  return read.ok ? "read" : read.message;
}

test("a byte order mark is taken off, and the format follows the name or else the content", async () => {
  const read = await readSourceText(fileOf("bom.json", "\uFEFF{}"));
  expect(read).toEqual({
    ok: true,
    source: { text: "{}", format: "json", hash: "aa25e978046d680ef8740d837e6de5bc1e2a2dc6089dbda1012544b538d53f65" },
  });
  const formatOf = (bytes: string, name: string) => {
    const source = sourceOfBytes(Buffer.from(bytes), name);
    return source.ok && source.source.format;
  };
  expect(formatOf("{}", "a.YML")).toBe("yaml");
  expect(formatOf("a: 1", "a.JSON")).toBe("json");
  expect(formatOf("\uFEFF \n{}", "plan")).toBe("json");
  expect(formatOf("a: 1", "plan")).toBe("yaml");
});

test("what is not a file says so", async () => {
  mkdirSync(join(directory, "plans.yaml"));
  execFileSync("bash", ["-c", 'mkfifo "$0"', join(directory, "pipe.yaml")]);
  expect(await messageOf(join(directory, "none.yaml"))).toBe("there is no such file");
  expect(await messageOf(join(fileOf("x.yaml", "a: 1"), "below.yaml"))).toBe("there is no such file");
  expect(await messageOf(join(directory, "plans.yaml"))).toBe("this is a directory, not a file");
  expect(await messageOf(join(directory, "pipe.yaml"))).toBe("this is not a regular file");
  expect(await messageOf("a\0b")).toBe("the file's name holds a NUL character");
});

test("what is not text says so, with the byte", async () => {
  expect(await messageOf(fileOf("empty.yaml", ""))).toBe("the file is empty");
  expect(await messageOf(fileOf("nul.yaml", "plan: a\0b"))).toBe(
    "the file is binary, not text: a NUL byte stands at byte 7",
  );
  expect(await messageOf(fileOf("utf16.yaml", Buffer.from("\uFEFFplan: a", "utf16le")))).toBe(
    "the file is UTF-16, not UTF-8: save it as UTF-8",
  );
  expect(await messageOf(fileOf("latin1.yaml", Buffer.from("näme: ö", "latin1")))).toBe(
    "the file is not UTF-8: byte 1 does not belong there",
  );
  const cut = Buffer.from("日本語🚀").subarray(0, -1);
  expect(await messageOf(fileOf("cut.json", cut))).toBe("the file is not UTF-8: byte 9 does not belong there");
});

test("a file above the limit of its format is refused without being read", async () => {
  const yaml = fileOf("large.yaml", "");
  truncateSync(yaml, 20 * 1024 * 1024 + 1);
  expect(await messageOf(yaml)).toBe(
    "the file is too large: 21 MB, and YAML is read up to 20 MB: write it as JSON (up to 200 MB)",
  );
  const json = fileOf("large.json", "");
  truncateSync(json, 200 * 1024 * 1024 + 1);
  expect(await messageOf(json)).toBe("the file is too large: 201 MB, and at most 200 MB are read");
});
