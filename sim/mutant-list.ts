/** Bugs that somebody could make. Each must be caught by an oracle. */

export interface Mutant {
  name: string;
  /** `find` stands in the file exactly once. */
  edits: { file: string; find: string; replace: string }[];
}

function bug(name: string, file: string, find: string, replace: string): Mutant {
  return { name, edits: [{ file, find, replace }] };
}

const HANDLERS = "src/core/task/handlers";
const GATES = "src/core/schedule/gates.ts";
const READS = "src/adapters/store/memory/memory-reads.ts";
const FENCE = "if (lease && lease.token === command.token && lease.expires_at > draft.now) return null;";

const OF_LEASE =
  "  if (lease?.token !== command.token) return draft.refuse(refuseToken(draft, command, lease?.token ?? null, false));\n";

export const MUTANTS: Mutant[] = [
  bug("core: no fence check", `${HANDLERS}/fence.ts`, FENCE, "if (lease) return null;"),
  bug(
    "core: a lease never expires",
    `${HANDLERS}/fence.ts`,
    FENCE,
    "if (lease && lease.token === command.token) return null;",
  ),
  bug(
    "core: a token is given twice",
    `${HANDLERS}/begin-attempt.ts`,
    "const token = draft.rows.token + 1;",
    "const token = draft.rows.token;",
  ),
  bug(
    "core: tries are not counted",
    `${HANDLERS}/settle.ts`,
    "const tries = draft.task.tries + 1;",
    "const tries = draft.task.tries;",
  ),
  bug(
    "core: a review is forgotten",
    "src/core/lane/lane.ts",
    '(p, i) => i > index && p.kind === "review"',
    '(p, i) => i > index + 1 && p.kind === "review"',
  ),
  bug(
    "core: a landing is begun over a living one",
    `${HANDLERS}/landing.ts`,
    "if (held && held.token !== command.over)",
    "if (held && held.token === -1)",
  ),
  bug(
    "core: a cascade ends nothing",
    `${HANDLERS}/operator.ts`,
    'endTask(draft, "skipped", "a task that it depends on has failed", false, "dependency_failed");',
    'draft.add("lease.refused", { command: "", token: 0, current: null });',
  ),
  bug(
    "core: an ended landing stays",
    "src/core/task/evolve.ts",
    '"landing.ended": (rows) => ({ ...rows, landing: null }),',
    '"landing.ended": (rows) => rows,',
  ),
  bug(
    "core: a settled attempt keeps its lease",
    "src/core/task/evolve.ts",
    '...onAttempt(rows, { ...data, state: "settled", ended_at: now }),\n    lease: null,',
    '...onAttempt(rows, { ...data, state: "settled", ended_at: now }),',
  ),
  bug(
    "core: an event tells less than the row",
    "src/core/task/draft.ts",
    "    this.facts.push({\n      type,",
    '    if (type !== "landing.advanced") this.facts.push({\n      type,',
  ),
  bug(
    "gates: the budget is ignored",
    GATES,
    "run.spent_usd >= run.budget_usd",
    "run.spent_usd >= 100 * run.budget_usd",
  ),
  bug(
    "gates: a hold without an end is ignored",
    "src/core/schedule/holds.ts",
    "!over && (until === null || until > now)",
    "!over && until !== null && until > now",
  ),
  bug("gates: owners may overlap", GATES, "if (!row.owns) return null;", "if (row) return null;"),
  bug("gates: an agent's limit is one more", GATES, "return at.length >= caps.agent", "return at.length > caps.agent"),
  bug(
    "gates: a paused run starts work",
    GATES,
    'return run.state === "running" ? null',
    'return run.state !== "ended" ? null',
  ),
  {
    name: "gates and store: due_at is ignored",
    edits: [
      {
        file: GATES,
        find: "row.due_at !== null && row.due_at > now",
        replace: "row.due_at !== null && row.due_at > now + 86_400_000",
      },
      { file: READS, find: "(t.due_at ?? now) <= now,", replace: "true," },
    ],
  },
  {
    name: "gates and store: dependencies are ignored",
    edits: [
      { file: GATES, find: "if (row.unmet <= row.dead) return null;", replace: "if (row) return null;" },
      {
        file: READS,
        find: '(t) => t.state === "pending" && t.unmet === 0 && (t.due_at',
        replace: '(t) => t.state === "pending" && (t.due_at',
      },
    ],
  },
  bug(
    "store: a counter of dependants is not moved",
    "src/adapters/store/write-changes.ts",
    "tables.moveDependants(task.plan, task.id, dependants);",
    "tables.moveDependants(task.plan, task.id, { ...dependants, dead: 0 });",
  ),
  bug(
    "store: a tally is not moved",
    "src/adapters/store/write-changes.ts",
    "tables.addTallies(task.plan, tallies);",
    'if (task.state !== "failed") tables.addTallies(task.plan, tallies);',
  ),
  bug(
    "store: a repeated command is applied again",
    "src/adapters/store/submit.ts",
    'if (command_id !== undefined) tables.putAnswer(command_id, { kind: "submit", answer });',
    "",
  ),
  bug(
    "store: an update is lost",
    "src/adapters/store/write-changes.ts",
    "if (before.run) tables.updateRun(before.run, after.run);",
    "if (before.run && after.run.version % 7 !== 0) tables.updateRun(before.run, after.run);\n  else if (before.run) return;",
  ),
  bug(
    "engine: the place is opened before the claim is committed",
    "src/engine/claim.ts",
    "const place = await probePlace(context, before);",
    "const place = await openPlaceFor(context, { row: { ...before.row, attempts: before.row.attempts + 1 } }, {});",
  ),
  bug(
    "engine: what a dead runner left alive is not ended",
    "src/engine/settle-attempt.ts",
    'if (outcome === "lost") await endLeft(context, live, place);',
    "",
  ),
  bug(
    "engine: what an attempt left is not saved",
    "src/engine/settle-attempt.ts",
    "const kept = isCheckedNext ? null : await context.workspace.save(place);",
    "const kept = null;",
  ),
  bug(
    "engine: a failed attempt is settled as succeeded",
    "src/engine/settle-attempt.ts",
    "const said = { outcome, error,",
    'const said = { outcome: outcome === "failed" ? ("succeeded" as const) : outcome, error,',
  ),
  bug(
    "engine: an adopted attempt is settled as lost",
    "src/engine/recover.ts",
    "await attend(context, plan, live, runner, { halt: NEVER, leave: NEVER });",
    "await settleAttempt(context, plan, live, LOST);",
  ),
  bug(
    "engine: a red check counts as green",
    "src/engine/run-check.ts",
    "const outcome: CheckOutcome = end.outcome;",
    'const outcome: CheckOutcome = end.outcome === "red" ? "green" : end.outcome;',
  ),
  bug(
    "engine: a target that moved is taken as landed",
    "src/engine/landing.ts",
    "landed?.landed === false",
    'landed?.landed === false && landed.reason === "busy"',
  ),
  bug(
    "engine: a living process's landing is taken over",
    "src/engine/take-over.ts",
    "return processes.alive(holder);",
    "return false;",
  ),
  bug(
    "engine: a taken-over landing's check runs on",
    "src/engine/take-over.ts",
    "  await endOldCheck(context, found);\n",
    "",
  ),
  bug(
    "core: no fence on a landing's writes",
    `${HANDLERS}/landing.ts`,
    "    landing.token !== command.token ||\n    landing.task",
    "    landing.task",
  ),
  bug(
    "core: the token is not in the write of an attempt",
    `${HANDLERS}/attempts.ts`,
    `${OF_LEASE}  const { base, base_tree }`,
    "  const { base, base_tree }",
  ),
  bug(
    "core: an outcome is applied twice",
    `${HANDLERS}/attempts.ts`,
    `${OF_LEASE}  if (command.checkout)`,
    "  if (command.checkout)",
  ),
  bug(
    "core: a red check costs no try",
    `${HANDLERS}/landing.ts`,
    'return failTry(draft, "checks_red", text, backToWork(draft));',
    'return draft.move("pending", "checks_red", { ...backToWork(draft), last_error: text });',
  ),
  bug(
    "engine: a runner is started before its claim is committed",
    "src/engine/claim.ts",
    '  const answer = await context.store.submit(\n    {\n      type: "task.claim",',
    `  const host = kind === "run" ? context.runners.host(assigned) : null;
  const { slug, attempts } = before.row;
  await host?.start({ attempt: { plan, task: id, slug, n: attempts + 1 }, brief: null as never, sweep: null });
  const answer = await context.store.submit(
    {
      type: "task.claim",`,
  ),
  bug(
    "engine: what lands is not the tree that was checked",
    "src/engine/landing.ts",
    "return moveTarget(landing, begun, candidate, checked.value.unrecorded);",
    `const again = await context.workspace.candidate({ ...landing.place, message, base, target });
  return moveTarget(landing, begun, "code" in again ? candidate : again, checked.value.unrecorded);`,
  ),
  bug(
    "workspace: a target moves without comparison",
    "sim/workspace-for.ts",
    'if (now !== tip) return { landed: false, reason: "target_moved"',
    'if (now === "never") return { landed: false, reason: "target_moved"',
  ),
  bug(
    "engine: a live attempt of another node is taken over",
    "src/engine/recover.ts",
    "lease.expires_at <= clock.now();\n  return isLeft",
    "lease.expires_at > 0;\n  return isLeft",
  ),
  bug(
    "engine: an expired worker keeps its task",
    "src/engine/sweep.ts",
    "  await expireLeases(context, plan, failed);\n",
    "",
  ),
  bug(
    "engine: the landing of a task that was ended is left",
    "src/engine/take-over.ts",
    "!(await mayLive(context, landing))) await endVoid(context, landing);",
    "!(await mayLive(context, landing))) continue;",
  ),
  bug(
    "engine: what was taken back stays on its target",
    "src/engine/take-over.ts",
    "await takeBack(context, landing, { ...(await placeOf(context, theirs)), n: landing.attempt });",
    "await placeOf(context, theirs);",
  ),
  bug(
    "processes: adoption by pid alone",
    "sim/machines.ts",
    "return found && found.identity.boot === boot && found.identity.start === start ? found : null;",
    'return boot === "" && start === "" ? null : (found ?? null);',
  ),
];
