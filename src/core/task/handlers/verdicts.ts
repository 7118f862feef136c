import { reject } from "../../errors.ts";
import { phaseAt } from "../../lane/lane.ts";
import type { Verdict, VerdictGive } from "../commands/landings.ts";
import { NO_CAPS } from "../commands/tasks.ts";
import type { Decision, Draft } from "../draft.ts";
import { beginAttempt } from "./begin-attempt.ts";
import { laneOf } from "./lane-of.ts";
import { plainly, settle } from "./settle.ts";
import { verdictProblem } from "./verdict-problem.ts";

/** A person's verdict: their review is claimed and ended in one step. */
export function give(draft: Draft, command: VerdictGive): Decision {
  const { state, id } = draft.task;
  const phase = phaseAt(laneOf(draft), draft.task.phase);
  const verdict: Verdict = { word: command.word, comments: command.comments, commit: command.commit };
  const problem = verdictProblem(draft, phase, verdict, command.by);
  if (problem) return draft.refuse(problem);
  if (state !== "pending")
    return draft.refuse(reject("not_ready", `the review of ${id} cannot be given now: it is ${state}`));
  const { holder, by } = command;
  beginAttempt(draft, {
    kind: "external",
    agent: by,
    holder,
    expires_at: draft.now,
    run: null,
    base: { commit: null, tree: null },
    caps: NO_CAPS,
  });
  settle(draft, { ...plainly("succeeded"), verdict });
  return draft.done();
}
