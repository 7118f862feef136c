import { once } from "node:events";
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sqliteLocks } from "../../../src/adapters/store/sqlite/sqlite-locks.ts";
import { startChild } from "./children/run-child.ts";
import { temporaryDirectory } from "./open-stores.ts";

const locks = sqliteLocks();

async function holder(file: string) {
  const child = startChild("hold-lock.ts", file);
  const [word] = (await once(child.stdout, "data")) as [Buffer];
  return { child, word: String(word) };
}

test("a lock has one holder at a time, in this process too", async () => {
  const file = join(temporaryDirectory(), "deep", "engine.lock");
  const release = await locks.acquire(file, 0);
  expect(release).not.toBeNull();
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(await locks.acquire(file, 30)).toBeNull();
  expect((await holder(file)).word).toBe("refused\n");
  release!();
  release!();
  const again = await locks.acquire(file, 0);
  expect(again).not.toBeNull();
  again!();
});

test("whoever waits gets the lock when its holder lets go", async () => {
  const file = join(temporaryDirectory(), "engine.lock");
  const { child, word } = await holder(file);
  expect(word).toBe("held\n");
  const waiting = locks.acquire(file, 20_000);
  child.stdin.write("end\n");
  const release = await waiting;
  expect(release).not.toBeNull();
  release!();
});

test("the kernel frees the lock of a holder that is killed", async () => {
  const file = join(temporaryDirectory(), "engine.lock");
  const { child } = await holder(file);
  child.kill("SIGKILL");
  const release = await locks.acquire(file, 20_000);
  expect(release).not.toBeNull();
  release!();
});

test("a place where no lock can be is told", async () => {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, "file"), "");
  await expect(locks.acquire(join(directory, "file", "engine.lock"), 0)).rejects.toMatchObject({
    name: "StoreUnavailable",
    code: "io",
  });
});
