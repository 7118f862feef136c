import { claimTask } from "../../engine/claim.ts";
import { CLAIM_TTL_MS } from "../claim-ttl.ts";
import type { Call, CommandRun } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { refused } from "../failure.ts";
import { durationOption, textOption } from "../read-options.ts";
import { shellWord } from "../shell-word.ts";
import { printWorkerTask, workerTask } from "../worker-task.ts";

export const run: CommandRun = async (call) => {
  const { args, session, terminal } = call;
  const ttlMs = durationOption(call, "ttl", CLAIM_TTL_MS);
  const { plan, task } = await wanted(call);
  const request = { plan: plan.id, task, kind: "external", agent: textOption(call, "as"), run: null, ttlMs } as const;
  const answer = await claimTask(await session.context(), request);
  if (answer.claimed === null) {
    if (answer.rejection) throw refused(answer.rejection);
    if (terminal.json) terminal.printJson(null);
    else terminal.note("nothing is ready: `lockstep status` says how the plan stands");
    return EXIT.ok;
  }
  const { task: record, attempt, lease, workspace } = answer.claimed;
  const brief = workerTask(plan, record);
  const claim = {
    task: record.row.id,
    attempt: attempt.n,
    token: lease.token,
    expires_at: lease.expires_at,
    workspace: workspace.dir,
  };
  if (terminal.json) terminal.printJson({ ...claim, brief });
  else {
    printWorkerTask(terminal, brief);
    terminal.print(
      `\nattempt ${claim.attempt}, token ${claim.token}, runs out ${terminal.time(claim.expires_at)}, in ${claim.workspace}`,
    );
    terminal.note(`when done: lockstep task done --token ${claim.token} ${shellWord(args[0] ?? claim.task)}`);
  }
  return EXIT.ok;
};

async function wanted({ args, session }: Call) {
  if (args[0] === undefined) return { plan: await session.plan(), task: null };
  const { plan, record } = await session.task(args[0]);
  return { plan, task: record.row.id };
}
