/** Who sees to a task now: its engine, the runner of its attempt, whoever lands it. A death is no event: somebody has to look. */

export interface Carer {
  pid: number;
  isAlive: boolean;
}

/** As far as this machine can tell; what is another machine's, or nobody's, is null. */
export interface Care {
  /** The plan's name, by which its run is carried on or stopped. */
  plan: string;
  /** The plan's live run has an engine; null: it has no live run. */
  isCarried: boolean | null;
  /** Who attends the live attempt. */
  engine: Carer | null;
  /** What holds the agent. */
  runner: Carer | null;
  /** Who checks and lands it. */
  lander: Carer | null;
}

/** What to do where no engine is left. */
export function carryOnText(plan: string): string {
  return `\`lockstep run ${plan}\` carries on, \`lockstep stop ${plan}\` ends it`;
}

/** Of an attempt of a run: nobody hears its agent, and nobody will before somebody starts an engine. */
export function isLeft({ engine }: Care): boolean {
  return engine !== null && !engine.isAlive;
}

/** `works on alone`, `left without engine and runner`. */
export function leftWords({ runner }: Care): string {
  return runner?.isAlive ? "works on without an engine" : "left without engine and runner";
}

/** Why an attempt stands still, or works unheard, whose engine is gone. */
export function leftText(care: Care, n: number): string {
  const { engine, runner, plan } = care;
  const gone = `no engine attends attempt ${n}: process ${engine!.pid} is gone`;
  if (runner?.isAlive)
    return `${gone}; its agent works on by itself, held by its runner, process ${runner.pid}; ${carryOnText(plan)}`;
  const its = runner === null ? "no runner of it is known" : `its runner, process ${runner.pid}, is gone too`;
  return `${gone}, and ${its}; whatever its agent still does is heard by nobody; \`lockstep run ${plan}\` ends what is left of it, keeps its work and tries again, \`lockstep stop ${plan}\` only ends it`;
}

/** `attended by process 7, its runner is process 8`; empty where it is another machine's. */
export function attendedText({ engine, runner }: Care): string {
  if (engine === null) return "";
  const held =
    runner === null ? "" : `, its runner is process ${runner.pid}${runner.isAlive ? "" : ", which has ended just now"}`;
  return `, attended by process ${engine.pid}${held}`;
}

/** Why a plan with a live run stands still; null where it does not. */
export function uncarriedText({ isCarried, plan }: Care): string | null {
  return isCarried === false ? `no engine carries the run of ${plan}; ${carryOnText(plan)}` : null;
}

/** Why what is to be landed stands still; null where it does not. */
export function unlandedText(care: Care): string | null {
  const { lander, plan } = care;
  if (lander === null) return uncarriedText(care);
  if (lander.isAlive) return null;
  return `process ${lander.pid}, which was landing it, is gone; \`lockstep run ${plan}\` takes that up`;
}
