import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { identify, isAlive } from "./identity.ts";
import { parseStat } from "./process-stat.ts";

test("a command's name with spaces, parentheses and line breaks does not shift the fields", () => {
  const rest = `S 1 77 78 ${Array.from({ length: 15 }, (_, index) => index).join(" ")} 424242 99`;
  for (const name of ["bash", "a b", "a) S 1 2 (b", "x)\ny", ")"]) {
    expect(parseStat(`12 (${name}) ${rest}`)).toMatchObject({
      state: "S",
      parent: 1,
      process_group: 77,
      terminal: 0,
      start: "424242",
    });
  }
});

test("this process lives, and is refused under another node, boot, or start", () => {
  const self = identify(process.pid)!;
  expect(isAlive(self)).toBe(true);
  expect(isAlive({ ...self, node: "elsewhere" })).toBe(false);
  expect(isAlive({ ...self, boot: "another boot" })).toBe(false);
  expect(isAlive({ ...self, start: "1" })).toBe(false);
});

test("an ended process is dead and has no identity", async () => {
  const child = spawn("sleep", ["1000"]);
  const identity = identify(child.pid!)!;
  expect(isAlive(identity)).toBe(true);
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(isAlive(identity)).toBe(false);
  expect(identify(child.pid!)).toBeNull();
});

test.runIf(process.platform === "linux")("a zombie is dead", async () => {
  // The shell replaces itself by a program that never fetches its child; only then is the child ended.
  const parent = spawn("bash", ["-c", "sleep 1000 & echo $!; exec sleep 1000"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [line] = await once(parent.stdout, "data");
  const child = Number(String(line));
  await expect.poll(() => readFileSync(`/proc/${parent.pid}/comm`, "utf8")).toBe("sleep\n");
  process.kill(child, "SIGKILL");
  await expect.poll(() => identify(child)).toBeNull();
  process.kill(child, 0);
  parent.kill("SIGKILL");
  await once(parent, "exit");
});
