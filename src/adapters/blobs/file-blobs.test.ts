import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { fileBlobs } from "./file-blobs.ts";

const state = mkdtempSync(join(tmpdir(), "lockstep blobs-"));
afterAll(() => rmSync(state, { recursive: true, force: true }));

test("a blob's path lies in a folder that only its owner can read", async () => {
  const file = await fileBlobs(state).path("check/0a/019f-log.txt");
  expect(file).toBe(join(state, "blobs", "check", "0a", "019f-log.txt"));
  expect(statSync(dirname(file)).mode & 0o777).toBe(0o700);
  expect(statSync(join(state, "blobs")).mode & 0o777).toBe(0o700);
});

test("a written blob is read by its owner alone", async () => {
  const file = await fileBlobs(state).write("brief/0b/x.json", "{}\n");
  expect(readFileSync(file, "utf8")).toBe("{}\n");
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test("a blob is found where it is, and asking for one makes nothing", async () => {
  const blobs = fileBlobs(state);
  const file = await blobs.write("brief/0c/x.json", "{}\n");
  expect(await blobs.find("brief/0c/x.json")).toBe(file);
  expect(await blobs.find("brief/0d/x.json")).toBeNull();
  expect(await blobs.end("brief/0d/x.json", 9)).toBeNull();
  expect(Buffer.from((await blobs.end("brief/0c/x.json", 2))!).toString()).toBe("}\n");
  expect(Buffer.from((await blobs.end("brief/0c/x.json", 9))!).toString()).toBe("{}\n");
  expect(statSync(join(state, "blobs/brief/0d"), { throwIfNoEntry: false })).toBeUndefined();
});

test.each([
  "../x/aa/y",
  "check/../y",
  "check/aa/../../y",
  "/check/aa/y",
  "check/aa/",
  "check/aa",
  "check/aa/.y",
  "check/aa/a b",
  "",
])("the name %j is refused", async (name) => {
  await expect(fileBlobs(state).path(name)).rejects.toThrow(`not the name of a blob: ${JSON.stringify(name)}`);
});
