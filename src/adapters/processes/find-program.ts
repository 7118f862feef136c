import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";

/** The file that a name of a program stands for, looked up as the system would from `cwd`, or null. */
export function findProgram(program: string, cwd: string, path: string): string | null {
  const places = program.includes("/")
    ? [resolve(cwd, program)]
    : path.split(delimiter).map((dir) => join(resolve(cwd, dir), program));
  return places.find(isExecutable) ?? null;
}

/** What may not be looked at cannot be started either. */
function isExecutable(file: string): boolean {
  try {
    if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return false;
    accessSync(file, constants.X_OK);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    return false;
  }
}
