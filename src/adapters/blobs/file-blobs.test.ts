import { mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
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

test("what is kept of a kind is listed as deep as it is asked, whole folders with all that is in them, and removed", async () => {
  const blobs = fileBlobs(state);
  await blobs.write("attempts/aa/plan/a-1/brief.json", "{}\n");
  const newest = await blobs.write("attempts/aa/plan/a-1/deep/log", "12345");
  await blobs.write("attempts/bb/other/b-2/brief.json", "1");
  writeFileSync(join(state, "blobs/attempts/bb/other/.hidden"), "no blob of ours");
  const listed = async (kind: string, depth: number) => {
    const found = [];
    for await (const kept of blobs.list(kind, depth)) found.push(kept);
    return found.sort((a, b) => (a.name < b.name ? -1 : 1));
  };
  utimesSync(newest, 2_000_000_000, 2_000_000_000);
  expect(await listed("attempts", 3)).toEqual([
    { name: "attempts/aa/plan/a-1", bytes: 8, changed_at: 2_000_000_000_000 },
    { name: "attempts/bb/other/b-2", bytes: 1, changed_at: expect.any(Number) },
  ]);
  expect(await listed("attempts", 4)).toHaveLength(3);
  expect(await listed("nothing", 2)).toEqual([]);
  await blobs.remove("attempts/aa/plan/a-1");
  await blobs.remove("attempts/aa/plan/a-1");
  expect((await listed("attempts", 3)).map(({ name }) => name)).toEqual(["attempts/bb/other/b-2"]);
  expect(() => blobs.remove("attempts/../x")).toThrow("not the name of a blob");
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
