/** A later attempt by each real command line goes on in the conversation of the one before it, whose work broke off. */

import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import type { Usage } from "../../src/core/task/rows.ts";
import { type Model, startModel, type Turn, USAGE } from "../../src/probe/model/model-server.ts";
import { startTranslatedModel } from "../../src/probe/model/translated-model.ts";
import { Lab } from "../e2e/cli/lab.ts";
import { geminiCli } from "./acp-cli.ts";
import { claudeEnv, claudeProgram } from "./claude-cli.ts";
import { CODEX_MODEL, codexCommand } from "./codex-cli.ts";
import { openCodeProgram } from "./opencode-cli.ts";
import type { Place } from "./place.ts";

/** Waits for ever, the first time; its home is the same in the next attempt. */
const WORK = 'if [ -e "$HOME/began" ]; then echo done > done.txt; else touch "$HOME/began"; exec tail -f /dev/null; fi';

const script = (name: string, input: Record<string, unknown>): Turn[] => [
  { use: [{ name, input }] },
  { say: "It is done." },
];

const native = {
  claude: script("Bash", { command: WORK, description: "work" }),
  codex: script("exec_command", { cmd: WORK, yield_time_ms: 600_000 }),
};
const translated = {
  gemini: script("run_shell_command", { command: WORK, description: "work" }),
  opencode: script("bash", { command: WORK, description: "work" }),
};
type AgentName = keyof typeof native | keyof typeof translated;

/** What the model told of two answers; there was one more in the first attempt. */
const USED: Usage = {
  input: 2 * USAGE.input_tokens,
  output: 2 * USAGE.output_tokens,
  cache_read: 2 * USAGE.cache_read_input_tokens,
  cache_write: 2 * USAGE.cache_creation_input_tokens,
};
const USED_BY: Record<AgentName, Usage> = {
  claude: USED,
  codex: USED,
  // Of what came from a cache it tells nothing: all of it is input.
  gemini: {
    input: USED.input + USED.cache_read! + USED.cache_write!,
    output: USED.output,
    cache_read: null,
    cache_write: null,
  },
  // Its model's service has no word for what was written to a cache: that is input.
  opencode: { ...USED, input: USED.input + USED.cache_write!, cache_write: 0 },
};

/** Where each keeps its conversations, in its home. */
const KEPT: Record<AgentName, string> = {
  claude: ".claude/projects",
  codex: ".codex/sessions",
  gemini: ".gemini/tmp",
  opencode: ".local/share/opencode",
};

let models: Model[] = [];
beforeAll(async () => {
  models = [await startModel(native), await startTranslatedModel(translated)];
});
afterAll(() => Promise.all(models.map((model) => model.close())));

const modelOf = (name: AgentName): Model => models[name in native ? 0 : 1]!;

function agentOf(lab: Lab, name: AgentName): object {
  const { url } = modelOf(name);
  // What it has of its user's home are settings; all else is in a home of its own.
  const home: Place = {
    base: lab.base,
    write: (file, text) => {
      mkdirSync(dirname(join(lab.base, file)), { recursive: true });
      writeFileSync(join(lab.base, file), text);
      return file;
    },
  };
  const own = ({ HOME: _, TMPDIR: __, PATH: ___, TERM: ____, ...env }: Record<string, string>) => env;
  switch (name) {
    case "claude":
      return { adapter: "claude", command: [claudeProgram()], model: "sonnet", env: claudeEnv(url) };
    case "codex": {
      const command = codexCommand(url);
      return { adapter: "codex", command, model: CODEX_MODEL, env: { SCRIPTED_KEY: "a-key-that-opens-nothing" } };
    }
    case "gemini": {
      const { program, env } = geminiCli(home, url);
      return { adapter: "gemini", command: program, env: own(env) };
    }
    case "opencode": {
      const { program, env } = openCodeProgram(home, url);
      return { adapter: "opencode", command: program, env: own(env) };
    }
  }
}

interface Shown {
  state: string;
  attempts: { outcome: string | null; session: string | null; goes_on_from: number | null; usage: Usage | null }[];
}

class Resumed {
  readonly lab = new Lab({ git: true });
  readonly name: AgentName;

  constructor(name: AgentName) {
    this.name = name;
    const agents = { [name]: { ...agentOf(this.lab, name), probe: false } };
    this.lab.write("lockstep.yaml", JSON.stringify({ jobs: 1, agents, workspace: { mode: "worktree" } }));
    const task = { id: "a", agent: name, prompt: `[[play:${name}]] Do it.`, verify: "test -s done.txt" };
    // One try: whatever costs one fails the task.
    this.lab.write("plan.json", JSON.stringify({ plan: "p", defaults: { timeout: "2m", tries: 1 }, tasks: [task] }));
  }

  /** Its home: one plan, one task, one agent. */
  get home(): string {
    const homes = join(this.lab.base, "state/lockstep/blobs/homes");
    const only = (dir: string): string => (existsSync(dir) ? join(dir, readdirSync(dir)[0] ?? "none") : dir);
    return join(only(only(homes)), "a", this.name);
  }

  /** A run whose agent is at work, in a conversation that is known. */
  async atWork() {
    const run = this.lab.start(["run", "plan.json"]);
    const ended = once(run, "close") as Promise<[number | null]>;
    onTestFinished(() => void run.kill("SIGKILL"));
    await expect.poll(() => existsSync(join(this.home, "began")), { timeout: 90_000 }).toBe(true);
    await expect
      .poll(async () => (await this.shown()).attempts[0]?.session ?? null, { timeout: 20_000 })
      .not.toBeNull();
    return { ended };
  }

  /** Its run is stopped when its agent is at work. */
  async stopped(): Promise<void> {
    const { ended } = await this.atWork();
    expect(await this.lab.run(["stop"])).toMatchObject({ code: 0 });
    await ended;
  }

  shown(): Promise<Shown> {
    return this.lab.json<Shown>(["task", "show", "a"]);
  }

  /** What its runner told of an attempt, for people. */
  notes(n: number): string[] {
    const attempts = join(this.lab.base, "state/lockstep/blobs/attempts");
    const file = readdirSync(attempts, { recursive: true, encoding: "utf8" }).find((each) =>
      each.endsWith(`a-${n}/events.jsonl`),
    );
    const lines = readFileSync(join(attempts, file!), "utf8").trim().split("\n");
    return lines.map((line) => JSON.parse(line)).flatMap(({ type, text }) => (type === "note" ? [text] : []));
  }

  /** Gemini CLI loses a conversation that it takes up in the minute in which it began: it began long ago. */
  age(): void {
    const dir = join(this.home, ".gemini/tmp");
    if (!existsSync(dir)) return;
    for (const file of readdirSync(dir, { recursive: true, encoding: "utf8" })) {
      const earlier = file.replace(/session-\d{4}-\d\d-\d\dT\d\d-\d\d-/, "session-2020-01-01T00-00-");
      if (earlier !== file) renameSync(join(dir, file), join(dir, earlier));
    }
  }
}

async function verified(resumed: Resumed): Promise<Shown["attempts"]> {
  const { state, attempts } = await resumed.shown();
  expect({ state, attempts, notes: resumed.notes(2) }).toMatchObject({
    state: "verified",
    attempts: [{ outcome: "interrupted" }, { outcome: "succeeded" }],
  });
  return attempts;
}

function wentOn(resumed: Resumed, attempts: Shown["attempts"]): void {
  const { name } = resumed;
  const session = attempts[0]!.session;
  expect(attempts[1]).toMatchObject({ session, goes_on_from: 1 });
  expect(resumed.notes(2)).toContain(`it goes on in the conversation ${session} of attempt 1`);
  // Its model hears all that was said before.
  const { scripts, prompt } = modelOf(name).heard.findLast((heard) => heard.script === name)!;
  expect(scripts).toEqual([name, name]);
  expect(prompt).toContain("Your work on this task broke off: it was interrupted");
  expect(attempts[1]!.usage).toEqual(USED_BY[name]);
}

test.each(["claude", "codex"] as const)("%s whose task is requeued goes on, and its usage is its own", async (name) => {
  const resumed = new Resumed(name);
  const { ended } = await resumed.atWork();
  expect(await resumed.lab.run(["requeue", "a", "--reason", "a better idea"])).toMatchObject({ code: 0 });
  expect((await ended)[0]).toBe(0);
  wentOn(resumed, await verified(resumed));
});

test.each(["opencode", "gemini"] as const)("%s whose run is stopped goes on in the next run", async (name) => {
  const resumed = new Resumed(name);
  await resumed.stopped();
  resumed.age();
  expect(await resumed.lab.run(["run"])).toMatchObject({ code: 0 });
  wentOn(resumed, await verified(resumed));
});

test.each(["claude", "codex", "opencode", "gemini"] as const)(
  "%s whose conversation is lost begins anew in the same attempt",
  async (name) => {
    const resumed = new Resumed(name);
    await resumed.stopped();
    rmSync(join(resumed.home, KEPT[name]), { recursive: true });
    expect(await resumed.lab.run(["run"])).toMatchObject({ code: 0 });
    const attempts = await verified(resumed);
    expect(attempts[1]!.goes_on_from).toBeNull();
    expect(attempts[1]!.session).not.toBe(attempts[0]!.session);
    expect(resumed.notes(2)).toContainEqual(
      expect.stringMatching(/^its conversation is not there any more: it begins anew \(/),
    );
    expect(modelOf(name).heard.findLast((heard) => heard.script === name)!.scripts).toEqual([name]);
    expect(attempts[1]!.usage).toEqual(USED_BY[name]);
  },
);
