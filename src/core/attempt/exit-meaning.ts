/** Exit codes by which a shell says that what it was told to start did not start. */

const NOT_EXECUTABLE = 126;
const NOT_FOUND = 127;

/** What the shell means by it; null: nothing but that the command failed. */
export function exitMeaning(exitCode: number): string | null {
  if (exitCode === NOT_FOUND) return "the shell found no such command or file";
  return exitCode === NOT_EXECUTABLE ? "what it names cannot be executed" : null;
}

/** Why a check was not run at all. `program`: the one that no tree of the task can bring, and the machine has not. */
export function missingText(program: string): string {
  const where = program.startsWith("/") ? "" : " on the PATH of checks";
  return `there is no program \`${program}\`${where}: install it and have it checked again, or mend the check in the plan, load that and retry`;
}
