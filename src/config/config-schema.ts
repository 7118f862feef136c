/** The truth of what `lockstep.yaml` may say. Its JSON Schema is generated from here. */

import { z } from "zod";
import { VERDICTS } from "../core/policy/tool-rules.ts";
import { defaultsSchema, strict, text, texts, timeLimit } from "../plan-file/schema-parts.ts";
import {
  ADAPTERS,
  GIT_HOOKS,
  HOMES,
  HOSTS,
  LAND_MODES,
  NETWORKS,
  PUBLISHERS,
  SANDBOXES,
  WORKSPACE_MODES,
} from "./availability.ts";
import { BYTE_SIZE_PATTERN } from "./byte-size.ts";

const COMMAND_MESSAGE = 'must be a list of a program and its arguments, such as [bash, -c, "./work.sh"]';
const SIZE_MESSAGE = "must be a size such as 500MB or 1GB";

const price = z.number().min(0).max(1_000_000);

const mcpServerSchema = strict({
  url: text.describe("Where it is, if it is there already").exactOptional(),
  headers: z.record(text, z.string()).describe("Sent with each request").exactOptional(),
  command: text.describe("The program that is the server, if the agent has to start it").exactOptional(),
  args: z.array(z.string()).exactOptional(),
  env: z.record(text, z.string()).describe("Variables that the program gets").exactOptional(),
});

const rules = z.array(text).max(1000);

const toolsSchema = strict({
  deny: rules.describe("Calls that are refused, with the rule as the reason").exactOptional(),
  ask: rules.describe("Calls that a person is asked about, in the inbox").exactOptional(),
  allow: rules.describe("Calls that are allowed").exactOptional(),
  otherwise: z.enum(VERDICTS).describe("What becomes of a call that no rule is of (allow)").exactOptional(),
});

const agentSchema = strict({
  adapter: z.enum(ADAPTERS).describe("The code that drives this agent"),
  command: z.array(z.string(), { error: COMMAND_MESSAGE }).min(1, COMMAND_MESSAGE).max(1000).exactOptional(),
  script: text.describe("The JSON file that a scripted agent plays, from the directory of this file").exactOptional(),
  model: text.exactOptional(),
  role: text.exactOptional(),
  effort: text.exactOptional(),
  mode: text.describe("The mode in which an agent works that is driven over ACP, by its own name").exactOptional(),
  auth: text.describe("How an agent logs in that is driven over ACP, by its own name").exactOptional(),
  system: text.describe("Said to the agent beside its own system prompt").exactOptional(),
  turns: z.int().min(1).max(100_000).describe("Answers of its model that one attempt may take").exactOptional(),
  budget_usd: z
    .number()
    .gt(0)
    .max(1_000_000)
    .describe("US dollars that one attempt may take, where the agent can be told")
    .exactOptional(),
  tools: toolsSchema
    .describe("What it may do with its tools: rules such as run(rm *), write(/etc/**), fetch(*) or mcp__*")
    .exactOptional(),
  dangerously_bypass_permissions: z
    .boolean()
    .describe("It asks nobody before it uses its tools, and no rule holds it (false)")
    .exactOptional(),
  skills: texts.exactOptional(),
  timeout: timeLimit.describe("Longest time of one attempt, unless its task says").exactOptional(),
  first_output: timeLimit.describe("Given up when it has printed nothing for so long after its start").exactOptional(),
  silence: timeLimit.describe("Given up when it prints nothing for so long, and no tool of it runs").exactOptional(),
  account: text
    .describe("The log-in that it works by: agents of one account wait for its limits together (all of its adapter)")
    .exactOptional(),
  jobs: z.int().min(1).max(1000).describe("Attempts of this agent at once").exactOptional(),
  pid_namespace: z
    .boolean()
    .describe(
      "Whether it works in a pid namespace where the machine allows one (true); false for agents that need sudo",
    )
    .exactOptional(),
  probe: z
    .boolean()
    .describe("Whether its program is tried before its first attempt where its version is new here (true)")
    .exactOptional(),
  env: z
    .record(text, z.string())
    .describe(
      "Variables that this agent gets; $NAME in a value, or the same in braces, is lockstep's own, and $$ a dollar sign",
    )
    .exactOptional(),
  pass_env: texts.describe("Variables that it gets as lockstep has them; * stands for any characters").exactOptional(),
  home: z
    .enum(HOMES)
    .describe("Whether it works in a home directory of its own, or in the user's (shared)")
    .exactOptional(),
  share: texts
    .describe("What a home of its own has of the user's: log-in, settings, skills, or paths such as ~/.config/tool")
    .exactOptional(),
  sandbox: z.enum(SANDBOXES).describe("What it runs in: bwrap shows it a system that it cannot write").exactOptional(),
  network: z.enum(NETWORKS).describe("Whether it has a network in its sandbox (on)").exactOptional(),
  readable: texts
    .describe("Paths below the user's home that it may read in its sandbox, such as ~/.rustup")
    .exactOptional(),
  mcp: z
    .record(text, mcpServerSchema)
    .describe("Servers of tools (MCP) that this agent gets beside that of its runner, by name")
    .exactOptional(),
});

const publishSchema = strict({
  to: z
    .enum(PUBLISHERS)
    .describe("github makes pull requests; git pushes branches, for other forges (github)")
    .exactOptional(),
  remote: text.describe("Name of the git remote (origin)").exactOptional(),
  draft: z.boolean().describe("New pull requests begin as drafts (true)").exactOptional(),
  token_env: text
    .describe("Name of the variable that has the token; no agent, check or hook gets it (GITHUB_TOKEN)")
    .exactOptional(),
  api_url: text
    .describe("Address of the API of a GitHub Enterprise Server, such as https://HOST/api/v3")
    .exactOptional(),
  repository: text.describe("OWNER/REPO, where the remote's address does not say it").exactOptional(),
});

const phaseSchema = strict({
  name: text,
  kind: z.enum(["document", "work", "review"]),
  rounds: z.int().min(1).max(20).exactOptional(),
});

/** The whole file. Everything may be left out. */
export const configSchema = strict({
  $schema: z.string().describe("For editors").exactOptional(),
  jobs: z.int().min(1).max(1000).describe("Attempts at once").exactOptional(),
  agents: z.record(text, agentSchema).exactOptional(),
  host: z
    .enum(HOSTS)
    .describe("Where attempts can be watched: tmux shows each in a session of lockstep's own (process)")
    .exactOptional(),
  defaults: defaultsSchema.describe("What tasks are where neither they nor their plan say otherwise").exactOptional(),
  workspace: strict({
    mode: z.enum(WORKSPACE_MODES).exactOptional(),
    setup: texts.describe("Commands that prepare a fresh workspace").exactOptional(),
    copy: texts.describe("Files that git does not know and a workspace needs").exactOptional(),
  }).exactOptional(),
  land: strict({
    mode: z.enum(LAND_MODES).exactOptional(),
    target: text.describe("The branch that verified work lands on; {plan} is the plan's name").exactOptional(),
    base: text
      .describe("Where the target starts; the branch checked out at the first load, unless given")
      .exactOptional(),
    message: text
      .describe(
        "Message of commits that land: {task_id}, {title}, {agent}, {model}, {plan} and {summary} are filled in",
      )
      .exactOptional(),
    author: text.describe('Author of commits that land, as "NAME <ADDRESS>" (as git is configured)').exactOptional(),
    sign: z.boolean().describe("Commits that land are signed, as git is configured (false)").exactOptional(),
    git_hooks: z.enum(GIT_HOOKS).describe("Whether git's hooks run on the engine's commits").exactOptional(),
    foresight: z
      .enum(["on", "off"])
      .describe("Whether work under way is looked at for conflicts to come, in worktrees (on)")
      .exactOptional(),
  }).exactOptional(),
  publish: publishSchema
    .describe("Where work is offered to people outside: pull requests of the landing mode pr, and of finish --pr")
    .exactOptional(),
  store: text.describe("Another database file than the user's own").exactOptional(),
  lanes: z.record(text, z.array(phaseSchema).min(1)).describe("Lanes beside build, reviewed and full").exactOptional(),
  hooks: strict({
    task_settled: text
      .describe("Run by bash whenever a task is verified, failed, blocked, skipped or cancelled")
      .exactOptional(),
    run_ended: text.describe("Run by bash when a run has ended").exactOptional(),
    timeout: timeLimit.describe("Longest time of one hook (60s)").exactOptional(),
  })
    .describe("Commands of yours that are told what happened; none of them can stop a run")
    .exactOptional(),
  budgets: z.record(z.string(), z.unknown()).exactOptional(),
  prices: z
    .record(
      text.describe("A model, as its agent names it"),
      strict({
        input: price,
        output: price,
        cache_read: price.exactOptional(),
        cache_write: price.exactOptional(),
      }),
    )
    .describe("What a model costs whose agent does not say, in US dollars for a million tokens")
    .exactOptional(),
  protect: texts.describe("Globs of files that no attempt may change").exactOptional(),
  limits: strict({
    disk_floor: z
      .string({ error: SIZE_MESSAGE })
      .regex(BYTE_SIZE_PATTERN, SIZE_MESSAGE)
      .describe("Nothing starts while less is free")
      .exactOptional(),
    attempts_per_hour: z.int().min(1).max(100_000).describe("No more are started within an hour").exactOptional(),
  }).exactOptional(),
});

export type WrittenConfig = z.infer<typeof configSchema>;
