import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { BUILT_IN_LANES } from "../core/lane/lane.ts";
import { readPlanBytes } from "../plan-file/read-plan-file.ts";
import { planSettings } from "./config.ts";
import { readConfig } from "./read-config.ts";
import { CONFIG_TEMPLATE } from "./template.ts";

const directory = mkdtempSync(join(tmpdir(), "lockstep-config-"));
const path = join(directory, "lockstep.yaml");
afterAll(() => rmSync(directory, { recursive: true }));

async function read(text: string) {
  writeFileSync(path, text);
  return readConfig(path, "directory");
}

async function configOf(text: string) {
  const result = await read(text);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.config;
}

async function problemsOf(text: string): Promise<string[]> {
  const result = await read(text);
  return result.ok ? [] : result.problems.map((p) => `${p.line}:${p.col} ${p.path}: ${p.message}`);
}

test("a missing configuration names the command that writes one", async () => {
  const missing = join(directory, "none", "lockstep.yaml");
  expect(await readConfig(missing, "directory")).toEqual({
    ok: false,
    problems: [
      { file: missing, path: "", message: "there is no such file: `lockstep init` writes one for this project" },
    ],
  });
});

test("what a configuration leaves out has a default", async () => {
  expect(await read("jobs: 2\n")).toEqual({
    ok: true,
    config: {
      jobs: 2,
      agents: {},
      host: "process",
      defaults: {},
      workspace: { mode: "in_place", setup: [], copy: [] },
      land: {
        ...{ mode: "merge", target: "lockstep/{plan}", base: null, git_hooks: "skip" },
        ...{ message: null, author: null, sign: false, foresight: "on" },
      },
      publish: {
        ...{ to: "github", remote: "origin", draft: true },
        ...{ token_env: null, api_url: null, repository: null },
      },
      store: null,
      lanes: BUILT_IN_LANES,
      hooks: { task_settled: null, run_ended: null, timeout_ms: 60_000 },
      protect: [],
      prices: {},
      limits: { disk_floor_bytes: null, attempts_per_hour: null },
    },
    hash: createHash("sha256").update("jobs: 2\n").digest("hex"),
  });
});

test("every key is read", async () => {
  const config = await configOf(`
jobs: 8
agents:
  script: {adapter: command, command: [bash, -c, "./work.sh {task_id}"], model: m, role: build, effort: high, skills: [css], timeout: 30m}
  fast: {adapter: gemini, model: gemini-2.5-flash}
  free: {adapter: claude-acp, mode: bypassPermissions}
  mine: {adapter: acp, command: [my-agent, --acp], auth: key}
  check: {adapter: none}
  coder: {adapter: claude, model: sonnet, env: {LANG: C}, pass_env: [NPM_TOKEN, "AWS_*"], share: [log-in, ~/.npmrc], sandbox: bwrap, network: "off", readable: [~/.rustup]}
  other: {adapter: claude, command: [npx, claude]}
  second: {adapter: codex, effort: low}
  play: {adapter: scripted, script: plans/agent.json}
defaults: {agent: script, lane: careful, tries: 2, verify: npm test}
workspace: {mode: none, setup: [npm ci], copy: [.env]}
land: {mode: merge, target: "work/{plan}", base: main, git_hooks: skip}
store: .lockstep/store.db
lanes: {careful: [{name: design, kind: document}, {name: build, kind: work, rounds: 2}]}
hooks: {task_settled: ./told.sh, run_ended: "mail anna", timeout: 5s}
protect: [lockstep.yaml]
limits: {disk_floor: 500MB, attempts_per_hour: 30}
`);
  expect(config).toMatchObject({
    jobs: 8,
    agents: {
      script: {
        adapter: "command",
        command: ["bash", "-c", "./work.sh {task_id}"],
        model: "m",
        role: "build",
        effort: "high",
        skills: ["css"],
        timeout_ms: 1_800_000,
      },
      fast: { adapter: "gemini", command: ["gemini", "--acp"], mode: "default", model: "gemini-2.5-flash", auth: null },
      free: { adapter: "claude-acp", mode: "bypassPermissions" },
      mine: { adapter: "acp", command: ["my-agent", "--acp"], mode: null, auth: "key" },
      check: {
        adapter: "none",
        command: [],
        script: null,
        model: null,
        role: null,
        effort: null,
        skills: [],
        timeout_ms: null,
        jobs: null,
        env: {},
        pass_env: [],
        home: "shared",
        sandbox: null,
      },
      coder: {
        adapter: "claude",
        command: ["claude"],
        model: "sonnet",
        env: { LANG: "C" },
        pass_env: ["NPM_TOKEN", "AWS_*"],
        home: "own",
        share: ["log-in", "~/.npmrc"],
        sandbox: "bwrap",
        network: "off",
        readable: ["~/.rustup"],
        mcp: [],
      },
      other: { adapter: "claude", command: ["npx", "claude"] },
      second: { adapter: "codex", command: ["codex"], model: null, effort: "low" },
      play: { adapter: "scripted", command: [], script: "plans/agent.json" },
    },
    defaults: { agent: "script", lane: "careful", tries: 2, verify: "npm test" },
    workspace: { mode: "none", setup: ["npm ci"], copy: [".env"] },
    land: { mode: "merge", target: "work/{plan}", base: "main", git_hooks: "skip", foresight: "on" },
    store: ".lockstep/store.db",
    hooks: { task_settled: "./told.sh", run_ended: "mail anna", timeout_ms: 5_000 },
    protect: ["lockstep.yaml"],
    limits: { disk_floor_bytes: 500 * 1024 * 1024, attempts_per_hour: 30 },
  });
  expect(config.lanes["careful"]).toEqual({
    name: "careful",
    phases: [
      { name: "design", kind: "document", rounds: 3 },
      { name: "build", kind: "work", rounds: 2 },
    ],
  });
});

test.each([
  ["", [":"]],
  ["- a\n", ["1:1 : must be an object, not a list"]],
  ["job: 4\n", ['1:1 job: unknown key "job": the nearest known one is "jobs"']],
  ["jobs: 0\n", ["1:7 jobs: must be at least 1"]],
  [
    "agents: {a: {}}\n",
    [
      "1:13 agents.a.adapter: is missing: one of command, none, scripted, claude, codex, opencode, acp, gemini, opencode-acp, claude-acp, codex-acp, goose is expected",
    ],
  ],
  [
    "agents: {a: {adapter: comand}}\n",
    [
      '1:23 agents.a.adapter: must be one of command, none, scripted, claude, codex, opencode, acp, gemini, opencode-acp, claude-acp, codex-acp, goose: unknown word "comand": the nearest known one is "command"',
    ],
  ],
  [
    "agents: {a: {adapter: command}}\n",
    ['1:13 agents.a: needs a command: a list of a program and its arguments, such as [bash, -c, "./work.sh"]'],
  ],
  [
    "agents: {a: {adapter: command, command: ./work.sh}}\n",
    ['1:41 agents.a.command: must be a list of a program and its arguments, such as [bash, -c, "./work.sh"]'],
  ],
  [
    "agents: {a: {adapter: command, command: []}}\n",
    ['1:41 agents.a.command: must be a list of a program and its arguments, such as [bash, -c, "./work.sh"]'],
  ],
  ['agents: {a: {adapter: command, command: [" "]}}\n', ["1:42 agents.a.command[0]: must name a program"]],
  [
    "agents: {a: {adapter: none, command: [x]}}\n",
    ["1:29 agents.a.command: the adapter none starts no program: it has no command"],
  ],
  ['agents: {a: {adapter: claude, command: [""]}}\n', ["1:41 agents.a.command[0]: must name a program"]],
  ['agents: {a: {adapter: codex, command: [""]}}\n', ["1:40 agents.a.command[0]: must name a program"]],
  ["agents: {a: {adapter: scripted}}\n", ["1:13 agents.a: needs a script: the JSON file that it plays"]],
  [
    "agents: {a: {adapter: claude, script: x.json}}\n",
    ["1:31 agents.a.script: only the adapter scripted has a script, not claude"],
  ],
  [
    "agents: {a: {adapter: acp}}\n",
    ["1:13 agents.a: needs a command: what starts an agent that speaks ACP, such as [my-agent, --acp]"],
  ],
  ['agents: {a: {adapter: gemini, command: [""]}}\n', ["1:41 agents.a.command[0]: must name a program"]],
  [
    "agents: {a: {adapter: claude, mode: plan, auth: key}}\n",
    [
      "1:31 agents.a.mode: only agents that are driven over ACP have the key mode, not claude",
      "1:43 agents.a.auth: only agents that are driven over ACP have the key auth, not claude",
    ],
  ],
  [
    "agents: {a: {adapter: none, env: {LOCKSTEP_TASK: x}, pass_env: [LOCKSTEP_TASK]}}\n",
    [
      "1:35 agents.a.env.LOCKSTEP_TASK: LOCKSTEP_TASK: variables that begin with LOCKSTEP_ are lockstep's own",
      "1:65 agents.a.pass_env[0]: LOCKSTEP_TASK: variables that begin with LOCKSTEP_ are lockstep's own",
    ],
  ],
  [
    'agents: {a: {adapter: none, env: {A-B: x}, pass_env: ["1A"]}}\n',
    [
      '1:35 agents.a.env.A-B: "A-B" cannot be the name of a variable: letters, digits and _ only',
      '1:55 agents.a.pass_env[0]: "1A" cannot be the name of a variable: letters, digits and _ only',
    ],
  ],
  [
    'agents: {a: {adapter: acp, command: [x], share: [log-in, ../x, "~/a/../../b"], readable: [/etc], network: "off"}}\n',
    [
      "1:50 agents.a.share[0]: where an agent of the adapter acp keeps its log-in is not known: name paths, such as ~/.config/tool",
      '1:58 agents.a.share[1]: "../x" is neither one of log-in, settings, skills nor a path below the home, such as ~/.config/tool',
      '1:64 agents.a.share[2]: "~/a/../../b" is neither one of log-in, settings, skills nor a path below the home, such as ~/.config/tool',
      "1:80 agents.a.readable: readable says something of a sandbox: set sandbox",
      '1:91 agents.a.readable[0]: "/etc" is no path below the home, such as ~/.rustup',
      "1:98 agents.a.network: network says something of a sandbox: set sandbox",
    ],
  ],
  [
    "agents: {a: {adapter: claude, home: shared, share: [log-in]}}\n",
    ["1:45 agents.a.share: has no effect beside home: shared, which has all of the user's: leave one of the two out"],
  ],
  [
    "agents: {a: {adapter: command, command: [x], share: [~/.npmrc]}}\n",
    [
      "1:46 agents.a.share: says what a home of its own has, and an agent of the adapter command has none: set home: own",
    ],
  ],
  [
    "agents: {a: {adapter: claude, home: shared, sandbox: bwrap}}\n",
    ["1:31 agents.a.home: a sandbox hides the user's home: leave out home: shared, or the sandbox"],
  ],
  ["agents: {a: {adapter: claude, budget_usd: 0}}\n", ["1:43 agents.a.budget_usd: must be above 0"]],
  ["agents: {a: {adapter: claude, turns: 0}}\n", ["1:38 agents.a.turns: must be at least 1"]],
  [
    "agents: {a: {adapter: claude, turns_max: 0}}\n",
    ['1:31 agents.a.turns_max: unknown key "turns_max": the nearest known one is "turns"'],
  ],
  [
    "agents: {a: {adapter: claude, budgets: 1}}\n",
    ['1:31 agents.a.budgets: unknown key "budgets": the nearest known one is "budget_usd"'],
  ],
  ["budgetz: {}\n", ['1:1 budgetz: unknown key "budgetz": the nearest known one is "budgets"']],
  [
    "budgets: {run: {usd: 20}}\n",
    ["1:1 budgets: budgets come with a later version: budget_usd of an agent bounds what one attempt may take"],
  ],
  [
    "agents: {a: {adapter: claude, effort: hihg}}\n",
    [
      '1:39 agents.a.effort: must be one of low, medium, high, xhigh, max: unknown word "hihg": the nearest known one is "high"',
    ],
  ],
  [
    "agents: {a: {adapter: gemini, effort: high}}\n",
    ["1:31 agents.a.effort: an agent of the adapter gemini has no effort to set: leave it out"],
  ],
  [
    "agents: {a: {adapter: opencode, model: sonnet}, b: {adapter: opencode-acp, model: /x}}\n",
    [
      '1:40 agents.a.model: must be provider/model, such as anthropic/claude-sonnet-5-5, not "sonnet"',
      '1:83 agents.b.model: must be provider/model, such as anthropic/claude-sonnet-5-5, not "/x"',
    ],
  ],
  [
    "agents: {a: {adapter: scripted, script: x.json, sandbox: bwrap}}\n",
    ["1:49 agents.a.sandbox: a scripted agent runs in no sandbox"],
  ],
  [
    'agents: {a: {adapter: command, command: [x, "{task}", "{titel}"]}}\n',
    [
      "1:45 agents.a.command[1]: {task} is no placeholder: {task_id} {slug} {title} {verify} {files} {skill} {workspace} {brief}",
      "1:55 agents.a.command[2]: {titel} is no placeholder: {task_id} {slug} {title} {verify} {files} {skill} {workspace} {brief}",
    ],
  ],
  [
    'agents: {a: {adapter: command, command: [node, -e, "f({title})"]}}\n',
    ["1:52 agents.a.command[2]: {title} stands in code: read the variable LOCKSTEP_TITLE there instead"],
  ],
  [
    "land: {mode: pr}\n",
    ["1:14 land.mode: pull requests need the workspace mode worktree or clone, and this is in_place"],
  ],
  [
    "land: {mode: off}\n",
    [
      "1:14 land.mode: only in the workspace modes worktree and clone can work be kept without landing, and this is in_place",
    ],
  ],
  [
    "land: {git_hooks: run}\n",
    ["1:19 land.git_hooks: the setting of git_hooks run comes with a later version: this one has skip"],
  ],
  ["hooks: skip\n", ["1:8 hooks: must be an object, not text"]],
  [
    "hooks: {task_setled: x}\n",
    ['1:9 hooks.task_setled: unknown key "task_setled": the nearest known one is "task_settled"'],
  ],
  [
    'land: {target: "x/{task}"}\n',
    ['1:16 land.target: unknown placeholder "{task}": the nearest known one is "{plan}"'],
  ],
  [
    "land: {target: a..b, base: -x}\n",
    ['1:16 land.target: "a..b" cannot be the name of a branch', "1:28 land.base: must not begin with a dash"],
  ],
  ['store: "postgres://host/db"\n', ["1:8 store: a PostgreSQL store comes with a later version: name a file"]],
  [
    "lanes: {build: [{name: a, kind: work}]}\n",
    ['1:9 lanes.build: the lane "build" is built in: give this one another name'],
  ],
  [
    "lanes: {x: [{name: a, kind: review}, {name: a, kind: document}]}\n",
    ["1:12 lanes.x: needs a phase of the kind work", '1:45 lanes.x[1].name: this lane has a phase "a" already'],
  ],
  [
    "defaults: {lane: buld, agent: x, verify: 'true'}\n",
    [
      '1:18 defaults.lane: unknown lane "buld": the nearest known one is "build"',
      '1:31 defaults.agent: unknown agent "x": none is known',
      '1:42 defaults.verify: the check "true" proves nothing: it is green whatever was done; name a real one, or say `unchecked: true`',
    ],
  ],
  [
    "agents: {script: {adapter: none}}\ndefaults: {agent: scirpt}\n",
    ['2:19 defaults.agent: unknown agent "scirpt": the nearest known one is "script"'],
  ],
  [
    "agents: {a: {adapter: none, env: {N: 1}}}\n",
    ["1:38 agents.a.env.N: must be text, not the number 1 (put it in quotes)"],
  ],
  [
    "workspace: {mode: worktree}\nland: {mode: pr, base: main, target: main}\n",
    ["2:38 land.target: must be another branch than land.base: pull requests are merged into that one"],
  ],
  [
    "land: {message: '{title} {tsk_id}', author: anna}\n",
    [
      '1:17 land.message: unknown placeholder "{tsk_id}": the nearest known one is "{task_id}"',
      '1:45 land.author: must be "NAME <ADDRESS>", not "anna"',
    ],
  ],
  [
    "publish: {remote: -x, token_env: 'ghp_a b', api_url: 'http://forge.test', repository: acme}\n",
    [
      '1:19 publish.remote: "-x" cannot be the name of a remote',
      '1:34 publish.token_env: "ghp_a b" cannot be the name of a variable: write its name, never the token',
      "1:54 publish.api_url: must be an address such as https://HOST/api/v3: a token is not sent without encryption",
      '1:87 publish.repository: "acme" does not name a repository as OWNER/REPO',
    ],
  ],
  ["publish: {to: git, token_env: T}\n", ["1:20 publish.token_env: only to: github has the key token_env"]],
  ["limits: {disk_floor: 5}\n", ["1:22 limits.disk_floor: must be a size such as 500MB or 1GB"]],
  ["jobs: 4\njobs: 5\n", ['2:1 jobs: duplicate key "jobs": it stands already on line 1']],
])("%j is refused", async (text, problems) => {
  const expected = text === "" ? ["undefined:undefined : the file is empty"] : problems;
  expect(await problemsOf(text)).toEqual(expected);
});

test("the template of `lockstep init` is right, as it is and with all its examples", async () => {
  const config = await configOf(CONFIG_TEMPLATE);
  expect(config).toMatchObject({ jobs: 4, agents: {}, workspace: { mode: "in_place" }, defaults: { tries: 3 } });
  const everything = CONFIG_TEMPLATE.replace("agents: {}", "agents:").replace(/^#( {2}[a-z]|[a-z])/gm, "$1");
  const all = await configOf(everything);
  expect(Object.keys(all.agents)).toEqual(["script", "coder", "fast", "play", "check"]);
  expect(Object.keys(all.lanes)).toContain("careful");
  expect(all).toMatchObject({
    defaults: { agent: "script", lane: "build", verify: "npm test", guards: ["npm run lint"] },
    protect: ["lockstep.yaml", "plans/**"],
    limits: { disk_floor_bytes: 1024 ** 3, attempts_per_hour: null },
    store: ".lockstep/store.db",
  });
});

test("a plan is compiled with its project's settings", async () => {
  const result = await read(
    "agents: {script: {adapter: none}}\ndefaults: {verify: make check, tries: 5}\nprotect: [x]\nland: {target: 'w/{plan}'}\n",
  );
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  const settings = planSettings(result.config, result.hash);
  const plan = await readPlanBytes(Buffer.from("plan: p\ntasks: [{id: A}]\n"), "p.yaml", { settings });
  expect(plan).toMatchObject({
    ok: true,
    plan: {
      policy: { land: { target: "w/p" } },
      tasks: [{ definition: { tries: 5, protect: ["x"], verify: [{ run: "make check" }] } }],
    },
  });
  const wrong = await readPlanBytes(Buffer.from("plan: p\ntasks: [{id: A, agent: scripd}]\n"), "p.yaml", { settings });
  expect(wrong.ok ? [] : wrong.problems.map(({ message }) => message)).toEqual([
    'unknown agent "scripd": the nearest known one is "script"',
  ]);
});

test("random bytes and random configurations are read or refused, never thrown at", async () => {
  const key = fc.constantFrom(
    "jobs",
    "agents",
    "adapter",
    "command",
    "defaults",
    "verify",
    "workspace",
    "mode",
    "land",
    "target",
    "lanes",
    "name",
    "kind",
    "limits",
    "store",
    "x",
  );
  const leaf = fc.oneof(
    fc.constantFrom("none", "command", "{task_id}", "{x}", "work", "merge", ""),
    fc.integer(),
    fc.constant(null),
  );
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 4 },
      leaf,
      fc.array(tie("any"), { maxLength: 3 }),
      fc.dictionary(key, tie("any"), { maxKeys: 4 }),
    ),
  })).any;
  const texts = fc.oneof(
    value.map((some) => JSON.stringify(some)),
    fc.string({ unit: "binary" }),
  );
  await fc.assert(
    fc.asyncProperty(texts, async (text) => {
      const result = await read(text);
      if (!result.ok) expect(result.problems[0]?.message).not.toBe("");
    }),
    { numRuns: 500 },
  );
});

test("rules on tools are filled in, and held against what an adapter can be held to", async () => {
  const { agents } = await configOf(`agents:
  one: {adapter: claude, system: Be brief., turns: 30, budget_usd: 2.5, tools: {deny: ["run(rm *)"], otherwise: ask}}
  two: {adapter: codex, dangerously_bypass_permissions: true}
`);
  expect(agents["one"]).toMatchObject({
    system: "Be brief.",
    turns: 30,
    budget_usd: 2.5,
    tools: { deny: ["run(rm *)"], ask: [], allow: [], otherwise: "ask" },
    bypasses_permissions: false,
  });
  expect(agents["two"]).toMatchObject({ tools: null, bypasses_permissions: true });
});

test("rules that cannot be meant and keys that an adapter cannot be held to are named where they stand", async () => {
  const problems = await problemsOf(`agents:
  one: {adapter: claude, tools: {deny: ["exec(rm *)", "run()"]}}
  two: {adapter: codex, budget_usd: 2}
  three: {adapter: command, command: [x], turns: 3}
  four: {adapter: claude, dangerously_bypass_permissions: true, tools: {deny: ["run(*)"]}}
`);
  const kinds = "run, write, read, fetch, other";
  expect(problems).toEqual([
    `2:41 agents.one.tools.deny[0]: the rule "exec(rm *)" must be KIND(GLOB) with a kind of ${kinds}, or a glob of names of tools`,
    '2:55 agents.one.tools.deny[1]: the rule "run()" needs a glob in its brackets: run(*) is every one',
    "3:25 agents.two.budget_usd: an agent of the adapter codex cannot be held to budget_usd: leave it out",
    "4:43 agents.three.turns: an agent of the adapter command cannot be held to turns: leave it out",
    "5:65 agents.four.tools: has no effect beside dangerously_bypass_permissions: leave one of the two out",
  ]);
});

test("what only an agent itself can say of effort, model and place is left to it", async () => {
  const { agents } = await configOf(`
agents:
  claude: {adapter: claude, effort: xhigh, model: sonnet}
  codex: {adapter: codex, effort: of-its-model}
  opencode: {adapter: opencode, effort: of-its-model, model: "openrouter/anthropic/claude-sonnet-5-5"}
  bridge: {adapter: claude-acp, effort: its-own}
  program: {adapter: command, command: [x], sandbox: bwrap, home: own, share: [~/.npmrc]}
  bare: {adapter: command, command: [x], sandbox: bwrap}
`);
  expect(Object.keys(agents)).toHaveLength(6);
});
