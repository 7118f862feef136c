import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { localProcesses } from "../adapters/processes/local-processes.ts";
import { spoolAt } from "../adapters/spool/spool-files.ts";
import type { ProjectConfig } from "../config/config.ts";
import { temporaryOf } from "./isolation.ts";
import { runnersOf } from "./runners.ts";

const ATTEMPT = { plan: "shop", task: "A", slug: "A", n: 1 };

test("what an attempt leaves that nobody may read later is removed, and its records stay", async () => {
  const stateDir = mkdtempSync(join(tmpdir(), "lockstep-runners-"));
  onTestFinished(() => rmSync(stateDir, { recursive: true, force: true }));
  const spool = spoolAt(stateDir, ATTEMPT);
  const temporary = temporaryOf(stateDir, ATTEMPT);
  for (const dir of [spool.dir, temporary]) mkdirSync(dir, { recursive: true });
  const servers = join(spool.dir, "mcp.json");
  for (const file of [spool.transcript, servers, join(temporary, "left")]) writeFileSync(file, "x");
  const config = { host: "process", agents: {} } as unknown as ProjectConfig;
  const options = { config, root: stateDir, stateDir, processes: localProcesses(), project: { env: {} } };
  const runners = runnersOf(options);
  // Once more finds nothing, as after a crash between the two.
  for (let round = 0; round < 2; round += 1) await runners.leavePlace(ATTEMPT);
  expect([spool.transcript, servers, temporary].map((path) => existsSync(path))).toEqual([true, false, false]);
});
