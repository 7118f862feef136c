import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { descendantPids, descendantsOf, killAll } from "./descendants.ts";
import { identify, isAlive } from "./identity.ts";

test("descendants are read from a list of processes, whatever else stands in it", () => {
  const list =
    "    1     0\n   10     1\n   11    10\n   12    11\n   20     1\n   13    10\n\nnonsense\n   10    10\n";
  expect(descendantPids(list, 10)).toEqual([11, 12, 13]);
  expect(descendantPids(list, 20)).toEqual([]);
  expect(descendantPids("1 2\n2 1\n", 1)).toEqual([2]);
});

test("all that descends from a process is found by ps and killed, also in sessions of its own", async () => {
  const nested = "setsid bash -c 'sleep 600 & echo $$ $!; wait' & wait";
  const child = spawn("bash", ["-c", nested], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await once(child.stdout, "data");
  const pids = String(line).trim().split(" ").map(Number);
  const found = descendantsOf(child.pid!);
  expect(found.map(({ pid }) => pid)).toEqual(pids);
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(found.every(isAlive)).toBe(true);
  killAll([...found, { ...identify(process.pid)!, start: "1" }]);
  await expect.poll(() => found.some(isAlive)).toBe(false);
});
