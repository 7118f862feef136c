/** Wishes. Whoever asks, every change of state is one of these, given to `handle`. */

import type { CompiledPlan } from "../plan/definition.ts";
import type {
  AttemptAdopt,
  AttemptExtend,
  AttemptForesee,
  AttemptInterrupt,
  AttemptReport,
  AttemptSettle,
  AttemptStart,
  AttemptStop,
} from "./commands/attempts.ts";
import type { ItemAnswer, ItemExpire, ItemOpen } from "./commands/items.ts";
import type {
  CheckBaseline,
  CheckRecord,
  LandingAdopt,
  LandingBegin,
  LandingFail,
  LandingMove,
  VerdictGive,
} from "./commands/landings.ts";
import type { PublishHear, PublishIntend, PublishRecord } from "./commands/publications.ts";
import type { ClockJump, EngineFail, HookFail, HookSkip } from "./commands/records.ts";
import type {
  HoldClear,
  HoldExpire,
  HoldSet,
  RunEnd,
  RunPause,
  RunResume,
  RunStart,
  RunStop,
} from "./commands/runs.ts";
import type {
  LeaseExpire,
  TaskAdd,
  TaskCancel,
  TaskCascade,
  TaskClaim,
  TaskDone,
  TaskEdit,
  TaskFail,
  TaskOverride,
  TaskRenew,
  TaskRetry,
  TaskSkip,
} from "./commands/tasks.ts";

/** What every command carries beside its wish. */
export interface Envelope {
  /** A repeated id returns the first answer and changes nothing. */
  command_id?: string;
  /** Who asks: `cli:anna@host`, `engine`, `worker:NAME`. Events keep it. */
  actor: string;
}

/** A whole plan at once; it has a handler of its own over iterators (see `plan-load.ts`). */
export interface PlanLoad {
  type: "plan.load";
  project: string;
  /** The id that a new plan gets. */
  id: string;
  plan: CompiledPlan;
}

/** Commands on single rows: what `needs`, `handle` and `evolve` know. */
export type RowCommand =
  | TaskClaim
  | TaskRenew
  | TaskDone
  | TaskFail
  | TaskRetry
  | TaskSkip
  | TaskCancel
  | TaskAdd
  | TaskEdit
  | TaskOverride
  | TaskCascade
  | AttemptStart
  | AttemptAdopt
  | AttemptReport
  | AttemptStop
  | AttemptExtend
  | AttemptInterrupt
  | AttemptForesee
  | AttemptSettle
  | CheckRecord
  | CheckBaseline
  | LandingBegin
  | LandingAdopt
  | LandingMove
  | LandingFail
  | PublishIntend
  | PublishRecord
  | PublishHear
  | VerdictGive
  | ItemOpen
  | ItemAnswer
  | ItemExpire
  | RunStart
  | RunPause
  | RunResume
  | RunStop
  | RunEnd
  | HoldSet
  | HoldClear
  | HoldExpire
  | EngineFail
  | HookFail
  | HookSkip
  | ClockJump
  | LeaseExpire;
