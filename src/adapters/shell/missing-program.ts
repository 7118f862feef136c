/** Tells a check that the machine cannot start from one that the tree it runs on makes fail. */

import { relative } from "node:path";
import { readShellLine } from "./read-shell-line.ts";

/** Words of bash itself: no program is looked up for them. */
const BUILTINS = new Set(
  (
    ". : [ alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs disown echo enable " +
    "eval exec exit export false fc fg getopts hash help history jobs kill let local logout mapfile popd printf pushd pwd " +
    "read readarray readonly return set shift shopt source suspend test times trap true type typeset ulimit umask unalias " +
    "unset wait"
  ).split(" "),
);

/** A name that the shell looks up, or a whole path; with anything else in it it is not known what is started. */
const NAME = /^[\w.+@-]+$/;
const PATH = /^\/[\w.+@/-]+$/;
const ASSIGNMENT = /^[A-Za-z_]\w*=/;

export interface Lookup {
  /** Absolute path of the tree on which the line runs. */
  dir: string;
  /** The file that a name stands for, or null. */
  find(program: string): string | null;
}

/**
 * The first program of a command line that is not there and that no change of the tree can bring: a name that is on no
 * path, or a file outside the tree. Null where there is none. A file of the tree that is missing is the task's to make.
 */
export async function missingProgram(line: string, { dir, find }: Lookup): Promise<string | null> {
  const { commands } = await readShellLine(line);
  for (const { words } of commands) {
    const program = words.split(" ").find((word) => !ASSIGNMENT.test(word));
    if (program === undefined || isDefined(program, line)) continue;
    const isOutside = NAME.test(program) ? !BUILTINS.has(program) : PATH.test(program) && !isInside(program, dir);
    if (isOutside && find(program) === null) return program;
  }
  return null;
}

function isInside(path: string, dir: string): boolean {
  const from = relative(dir, path);
  return from !== ".." && !from.startsWith("../");
}

/** The line makes a function of that name. */
function isDefined(program: string, line: string): boolean {
  const name = program.replace(/[.+]/g, "\\$&");
  return NAME.test(program) && new RegExp(`(?:^|[\\s;&(])(?:function\\s+${name}\\b|${name}\\s*\\(\\s*\\))`).test(line);
}
