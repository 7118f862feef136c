/** What stands in the environment of everything that an attempt or its checks start, so that nothing of it is ever lost. */

interface OfAttempt {
  plan: string;
  task: string;
  attempt: number;
}

/** For an agent: who bears it is refused operator commands. */
export function attemptMark(of: OfAttempt): { LOCKSTEP_ATTEMPT: string } {
  return { LOCKSTEP_ATTEMPT: named(of) };
}

/** For the checks of an attempt's work. */
export function checkMark(of: OfAttempt): { LOCKSTEP_CHECKED: string } {
  return { LOCKSTEP_CHECKED: named(of) };
}

/** `NAME=value`, as it stands in an environment. */
export function entryOf(mark: Readonly<Record<string, string>>): string {
  return Object.entries(mark)
    .map(([name, value]) => `${name}=${value}`)
    .join("");
}

/** The plan's id in what a mark says. */
export function planOfMark(value: string): string {
  return value.slice(0, value.indexOf("/"));
}

function named({ plan, task, attempt }: OfAttempt): string {
  return `${plan}/${task}#${attempt}`;
}
