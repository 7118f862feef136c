import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { localProcesses } from "../adapters/processes/local-processes.ts";
import type { AgentConfig } from "../config/config.ts";
import { usualAgent } from "../config/read-config.ts";
import type { ClauseResult } from "../ports/agent-probe.ts";
import { agentPrograms, kitOf, knownProgram, type ProgramsOptions, releaseProgram } from "./agent-programs.ts";
import { CONTRACT, readRecord, writeRecord } from "./program-records.ts";

/** A program that says its version, and notes each time that it is asked. */
class Machine {
  readonly base = realpathSync(mkdtempSync(join(tmpdir(), "lockstep-programs-")));
  readonly config: AgentConfig = usualAgent("claude");
  readonly options: ProgramsOptions;

  constructor() {
    onTestFinished(() => rmSync(this.base, { recursive: true, force: true }));
    mkdirSync(join(this.base, "bin"));
    const env = { PATH: `${this.base}/bin:${process.env["PATH"]}` };
    const stateDir = join(this.base, "state");
    this.options = { agents: { coder: this.config }, root: this.base, stateDir, processes: localProcesses(), env };
  }

  get program(): string {
    return join(this.base, "bin/claude");
  }

  install(printed: string): void {
    writeFileSync(this.program, `#!/bin/sh\necho asked >> '${this.base}/asked'\necho "${printed}"\n`);
    chmodSync(this.program, 0o755);
  }

  get timesAsked(): number {
    return readFileSync(join(this.base, "asked"), "utf8").trim().split("\n").length;
  }

  /** Notes a trial of the version that is known. */
  async tried(result: ClauseResult, over: { contract?: number } = {}): Promise<void> {
    const record = await readRecord(this.options.stateDir, "claude", this.program);
    const clauses = [{ clause: "stop", result, seen: "it did not" }] as const;
    const probe = {
      version: record!.version!,
      contract: CONTRACT,
      clauses: [...clauses],
      ms: 1,
      at: 1,
      released: false,
    };
    await writeRecord(this.options.stateDir, { ...record!, probe: { ...probe, ...over } });
  }

  standing() {
    return agentPrograms(this.options).standing("coder");
  }
}

test("a program is asked for its version once for each file, and one that is new is untried", async () => {
  const machine = new Machine();
  machine.install("1.2.3 (Claude Code)");
  expect(await machine.standing()).toEqual({ state: "untried", what: "claude 1.2.3" });
  expect(await machine.standing()).toEqual({ state: "untried", what: "claude 1.2.3" });
  expect(machine.timesAsked).toBe(1);
  machine.install("1.2.4 (Claude Code)");
  expect(await machine.standing()).toEqual({ state: "untried", what: "claude 1.2.4" });
  expect(machine.timesAsked).toBe(2);
});

test("one that passed its trial is fit until its version, or what it is held to, changes", async () => {
  const machine = new Machine();
  machine.install("1.2.3 (Claude Code)");
  await machine.standing();
  await machine.tried("kept");
  expect(await machine.standing()).toEqual({ state: "fit" });
  // The same version in another file.
  appendFileSync(machine.program, "\n");
  expect(await machine.standing()).toEqual({ state: "fit" });
  await machine.tried("kept", { contract: CONTRACT + 1 });
  expect(await machine.standing()).toMatchObject({ state: "untried" });
  await machine.tried("kept");
  machine.install("1.2.4 (Claude Code)");
  expect(await machine.standing()).toMatchObject({ state: "untried" });
});

test("one that failed its trial is unfit, with the clause, until a person lets it start", async () => {
  const machine = new Machine();
  machine.install("1.2.3 (Claude Code)");
  await machine.standing();
  await machine.tried("broken");
  const why = "claude 1.2.3 does not do what lockstep needs: stop: it did not; see `lockstep doctor --agents coder`";
  expect(await machine.standing()).toEqual({ state: "unfit", why });
  await releaseProgram(machine.options, machine.config);
  expect(await machine.standing()).toEqual({ state: "fit" });
});

test("a program that is not the one it is taken for is left to its user", async () => {
  const machine = new Machine();
  machine.install("hello");
  expect(await machine.standing()).toEqual({ state: "fit" });
});

test("a program that is not there is the attempt's to tell", async () => {
  const machine = new Machine();
  expect(await machine.standing()).toEqual({ state: "fit" });
  expect(readdirSync(machine.base)).not.toContain("state");
});

test("where nothing can be noted of a program, it is held with the reason", async () => {
  const machine = new Machine();
  machine.install("1.2.3 (Claude Code)");
  writeFileSync(machine.options.stateDir, "");
  expect(await machine.standing()).toMatchObject({
    state: "unfit",
    why: expect.stringMatching(/^its program cannot be looked at: ENOTDIR/),
  });
});

test("nothing is started to tell what is known", async () => {
  const machine = new Machine();
  machine.install("1.2.3 (Claude Code)");
  expect(await knownProgram(machine.options, machine.config, false)).toBeNull();
  expect(readdirSync(machine.base)).not.toContain("asked");
});

test("a record that cannot be read is as if it was not there", async () => {
  const machine = new Machine();
  machine.install("1.2.3 (Claude Code)");
  await machine.standing();
  const dir = join(machine.options.stateDir, "agents");
  writeFileSync(join(dir, readdirSync(dir)[0]!), "{");
  expect(await machine.standing()).toEqual({ state: "untried", what: "claude 1.2.3" });
});

test("only a program that is started as usual is tried, and none where the configuration says so", () => {
  expect(kitOf(usualAgent("claude"))).toBe("claude");
  expect(kitOf(usualAgent("gemini"))).toBe("gemini");
  expect(kitOf({ ...usualAgent("opencode"), command: ["/opt/opencode"] })).toBe("opencode");
  expect(kitOf({ ...usualAgent("claude"), command: ["node", "claude.mjs"] })).toBeNull();
  for (const adapter of ["command", "scripted", "none", "acp", "goose", "claude-acp"] as const)
    expect(kitOf(usualAgent(adapter))).toBeNull();
  const { options } = new Machine();
  const agents = { on: usualAgent("codex"), off: { ...usualAgent("codex"), probe: false } };
  const programs = agentPrograms({ ...options, agents });
  expect([programs.isTried("on"), programs.isTried("off"), programs.isTried("toString")]).toEqual([true, false, false]);
});
