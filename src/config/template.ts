/** The configuration that `lockstep init` writes: everything that may be said, most of it commented out. */

/** A whole `lockstep.yaml`; accepted by `readConfig` as it is, and when its comments are removed. */
export const CONFIG_TEMPLATE = `# Lockstep: how the plans of this project are run. Every key may be left out; a key behind a # is an example.

# Attempts at once.
jobs: 4

# Who does the work. A command gets the brief on its standard input; placeholders are {task_id}, {slug}, {title},
# {verify}, {files}, {skill}, {workspace} and {brief} (the brief's file); write {{ and }} for a word in braces.
# \`claude\` drives Claude Code, \`codex\` Codex, \`opencode\` OpenCode; \`gemini\`, \`opencode-acp\`, \`claude-acp\`, \`codex-acp\`
# and \`goose\` drive these, and \`acp\` any other agent, over the Agent Client Protocol; \`scripted\` plays the steps of a
# JSON file; tasks with an agent of the adapter \`none\` are only checked. An agent does not see variables that look like
# secrets unless pass_env names them; each of those that have a name here sees its own login.
agents: {}
#  script: {adapter: command, command: [bash, -c, "./work.sh {task_id}"], timeout: 30m, jobs: 2, pass_env: [NPM_TOKEN]}
#  coder: {adapter: claude, model: sonnet, effort: high, env: {NODE_ENV: test}}
#  fast: {adapter: gemini, model: gemini-2.5-flash}
#  play: {adapter: scripted, script: agent.json}
#  check: {adapter: none}

# What a task is where neither it nor its plan says otherwise.
defaults:
  tries: 3
  timeout: 1h
  verify_timeout: 10m
  retry_delay: 10s
#  agent: script
#  lane: build
#  verify: npm test
#  guards: [npm run lint]

# Where attempts work: worktree (many at once, each in a place of its own outside the repository; what they land stands on
# the branch lockstep/<plan>; the default in a repository), clone (the same, and git finds there a clone made for the attempt,
# so that no agent can touch this repository), in_place (this directory, one at a time; the default in any other directory) or
# none (each worker brings its own place).
#workspace:
#  mode: worktree
#  setup: [npm ci]
#  copy: [.env]

# Globs of files that no attempt may change.
#protect: [lockstep.yaml, "plans/**"]

# Lanes of your own, beside build, reviewed (build > review) and full (research > design > build > review).
#lanes:
#  careful: [{name: design, kind: document}, {name: build, kind: work, rounds: 2}, {name: review, kind: review}]

# Commands that are told what happened: LOCKSTEP_TASK, LOCKSTEP_STATE and more stand in their environment, the whole event
# as JSON on their standard input. They can neither stop a run nor make it wait.
#hooks:
#  task_settled: ./told.sh
#  run_ended: echo "$LOCKSTEP_PLAN is $LOCKSTEP_OUTCOME"
#  timeout: 60s

# Nothing starts while less disk space is free.
#limits: {disk_floor: 1GB}

# Another database than the one in your state directory.
#store: .lockstep/store.db
`;
