/** Loading a plan by the command line: time and peak memory of the whole process, beside Node only parsing the same text. */

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { stringify } from "yaml";
import { layeredTasks } from "./lab.ts";
import { median, type Row } from "./measure.ts";

const CLI = fileURLToPath(new URL("../dist/cli/main.cjs", import.meta.url));
const ROUNDS = 3;

export async function load(): Promise<Row[]> {
  const json = { name: "plan.json", text: JSON.stringify({ plan: "bench", tasks: layeredTasks(100_000, 10) }) };
  const yaml = { name: "plan.yaml", text: stringify({ plan: "bench", tasks: layeredTasks(10_000, 10) }) };
  return [
    measure("load 100,000 tasks, JSON", json, "JSON.parse", "3 s and 350 MB"),
    measure("load 10,000 tasks, YAML", yaml, "yaml's parse", "2 s"),
  ];
}

interface Peak {
  seconds: number;
  megabytes: number;
}

function measure(what: string, { name, text }: { name: string; text: string }, floorName: string, aim: string): Row {
  const [ours, floors]: [Peak[], number[]] = [[], []];
  for (let i = 0; i < ROUNDS; i++) {
    const dir = mkdtempSync(join(tmpdir(), "lockstep-bench-load-"));
    writeFileSync(join(dir, name), text);
    writeFileSync(join(dir, "lockstep.yaml"), "workspace: {mode: in_place}\n");
    ours.push(peakOf(dir, [CLI, "plan", "load", name]));
    floors.push(peakOf(dir, ["--input-type=module", "-e", floorScript(name)]).seconds);
    rmSync(dir, { recursive: true });
  }
  const seconds = median(ours.map((peak) => peak.seconds));
  const floor = median(floors);
  const megabytes = median(ours.map((peak) => peak.megabytes));
  return {
    what,
    value: `${seconds.toFixed(2)} s ${megabytes.toFixed(0)} MB`,
    floor: `${floor.toFixed(2)} s`,
    ratio: `${(seconds / floor).toFixed(1)}x of ${floorName}`,
    aim,
  };
}

function floorScript(name: string): string {
  const read = `import { readFileSync } from "node:fs"; const text = readFileSync(${JSON.stringify(name)}, "utf8");`;
  const yaml = fileURLToPath(import.meta.resolve("yaml"));
  return name.endsWith(".json")
    ? `${read} JSON.parse(text);`
    : `import { parse } from ${JSON.stringify(yaml)}; ${read} parse(text);`;
}

/** Linux: the kernel's own account of the finished process, by GNU time. */
function peakOf(cwd: string, args: string[]): Peak {
  const env = { PATH: process.env["PATH"], HOME: cwd, XDG_STATE_HOME: join(cwd, "state") };
  const { status, stderr } = spawnSync("/usr/bin/time", ["-f", "%e %M", process.execPath, ...args], {
    cwd,
    env,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr);
  const [seconds, kilobytes] = (stderr.trim().split("\n").at(-1) ?? "").split(" ").map(Number);
  return { seconds: seconds ?? Number.NaN, megabytes: (kilobytes ?? Number.NaN) / 1024 };
}
