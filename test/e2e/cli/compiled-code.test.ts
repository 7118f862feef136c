import { existsSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Lab } from "./lab.ts";

const PLAN = "plan: p\ntasks: [{id: a, verify: '[ -e done ]'}]\n";

/** A project whose plan is loaded, and the folder where compiled code is kept. */
async function loadedLab(): Promise<{ lab: Lab; folder: string }> {
  const lab = new Lab();
  lab.write("plan.yaml", PLAN);
  expect(await lab.run(["plan", "load", "plan.yaml"])).toMatchObject({ code: 0 });
  return { lab, folder: join(lab.base, "state", "lockstep", "code") };
}

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((file) => statSync(file).isFile());

test("the code of a command is kept after its first start, and not made anew by the next one", async () => {
  const { lab, folder } = await loadedLab();
  const first = await lab.run(["next"]);
  const kept = filesIn(folder);
  expect(kept.length).toBeGreaterThan(0);
  const inodes = kept.map((file) => statSync(file).ino);
  expect(await lab.run(["next"])).toEqual(first);
  expect(filesIn(folder).map((file) => statSync(file).ino)).toEqual(inodes);
});

test("kept code that is broken is not believed", async () => {
  const { lab, folder } = await loadedLab();
  const first = await lab.run(["next"]);
  for (const broken of ["", "no code at all", "\0".repeat(200_000)]) {
    for (const file of filesIn(folder)) writeFileSync(file, broken);
    expect(await lab.run(["next"])).toEqual(first);
  }
});

test("a folder that cannot hold code changes nothing", async () => {
  const { lab, folder } = await loadedLab();
  writeFileSync(folder, "a file");
  expect(await lab.run(["next"])).toMatchObject({ code: 0, stderr: "" });
});

test("where nothing was loaded yet, a look keeps nothing", async () => {
  const lab = new Lab();
  expect(await lab.run(["next"])).toMatchObject({ code: 2 });
  expect(existsSync(join(lab.base, "state"))).toBe(false);
});
