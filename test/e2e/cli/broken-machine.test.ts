/** What the command line says of a store that is broken, and what it still does. */

import { copyFileSync, existsSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Database } from "../../../src/adapters/store/sqlite/database.ts";
import { connect } from "../../../src/adapters/store/sqlite/driver.ts";
import { Lab } from "./lab.ts";

const PLAN = JSON.stringify({
  plan: "demo",
  tasks: [
    { id: "a", verify: "test -d ." },
    { id: "b", verify: "test -d ." },
  ],
});

const CONFIG = "agents: {w: {adapter: command, command: ['true']}}\ndefaults: {agent: w}\nworkspace: {mode: none}\n";

async function loaded(): Promise<Lab & { store: string }> {
  const lab = new Lab({ config: CONFIG });
  lab.write("plan.json", PLAN);
  expect((await lab.run(["plan", "load", "plan.json"])).code).toBe(0);
  return Object.assign(lab, { store: join(lab.base, "state/lockstep/store.db") });
}

async function change(file: string, sql: string): Promise<void> {
  const database = new Database(file, await connect(file));
  database.exec(sql);
  database.close();
}

describe("a row that cannot be read", () => {
  test("is named with its plan, task and column; what is beside it is shown and done", async () => {
    const lab = await loaded();
    const ofA = "task = (SELECT key FROM tasks WHERE id = 'a')";
    await change(lab.store, `UPDATE definitions SET next = body, body = 'junk' WHERE ${ofA}`);
    const message = `the store ${lab.store} has a row that cannot be read: definition of task a of plan demo: column body holds "junk", which is no JSON of ours`;
    const hint = "Mend that column of the store, or bring the store back from a backup; all else goes on meanwhile.";
    expect(await lab.run(["task", "show", "a"])).toEqual({
      code: 1,
      stdout: "",
      stderr: `error: ${message}\nhint: ${hint}\n`,
    });
    const asked = await lab.run(["task", "show", "a", "--json"]);
    expect(asked.code).toBe(1);
    expect(JSON.parse(asked.stdout)).toEqual({ error: { code: "store_unreadable", message, hint } });
    for (const args of [["status"], ["plan", "show"], ["task", "show", "b"], ["next"], ["why", "b"], ["inbox"]])
      expect({ args, code: (await lab.run(args)).code }).toEqual({ args, code: 0 });
    const run = await lab.run(["run"]);
    expect(run.code).toBe(3);
    expect(run.stdout).toContain(`needs you  task a was set aside: ${message}`);
    expect(run.stdout).toContain("next: mend that, then `lockstep run demo`");
    await change(lab.store, `UPDATE definitions SET body = next, next = NULL WHERE ${ofA}`);
    expect((await lab.run(["run"])).code).toBe(0);
  });
});

describe("a store", () => {
  test("that is damaged, cut off or another program's is told in one line, changed by nobody, and works when it is brought back", async () => {
    const lab = await loaded();
    const backup = `${lab.store}.backup`;
    copyFileSync(lab.store, backup);
    truncateSync(lab.store, 8_192);
    const cut = readFileSync(lab.store);
    for (const args of [["status"], ["next"], ["run"]]) {
      const { code, stdout, stderr } = await lab.run(args);
      expect({ args, code, stdout }).toEqual({ args, code: 1, stdout: "" });
      expect(stderr).toMatch(
        /^error: the store .*store\.db is damaged \(SQLITE_CORRUPT: [^\n]+\)\nhint: Bring it back from a backup, [^\n]+\n$/,
      );
    }
    expect(readFileSync(lab.store).equals(cut)).toBe(true);
    for (const end of ["-wal", "-shm"]) rmSync(`${lab.store}${end}`, { force: true });
    writeFileSync(lab.store, "a letter to grandmother, which is no database at all");
    expect((await lab.run(["status"])).stderr).toContain("is not a store of lockstep");
    copyFileSync(backup, lab.store);
    expect((await lab.run(["run"])).code).toBe(0);
  });

  test("whose directory is gone is made anew and says that no plan is there; the old one works when it is put back", async () => {
    const lab = await loaded();
    const state = join(lab.base, "state");
    renameSync(state, join(lab.base, "elsewhere"));
    const { code, stderr } = await lab.run(["run", "demo"]);
    expect(code).toBe(2);
    expect(stderr).toContain("demo: there is no such file");
    if (existsSync(state)) rmSync(state, { recursive: true });
    renameSync(join(lab.base, "elsewhere"), state);
    expect((await lab.run(["run"])).code).toBe(0);
  });
});
