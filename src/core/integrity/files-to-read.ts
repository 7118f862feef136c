import { pathsNamedBy, type Role, roleOf } from "./roles.ts";

/** Changed files whose texts are looked at: more are no work of one task, and would hold up the landings of others. */
export const FILES_READ_MAX = 1_000;

/** What no rule looks into. */
const NEVER_READ: ReadonlySet<Role> = new Set(["prose", "lock"]);

export interface FilesToRead {
  /** The files of tests and checks first. Empty: there is nothing to judge. */
  read: string[];
  /** Files of tests and checks beyond the bound. */
  left: string[];
}

/** Which of the changed files the judgement needs the texts of, by their names alone. */
export function filesToRead(paths: readonly string[], checks: readonly string[]): FilesToRead {
  const named = pathsNamedBy(checks);
  const roles = paths
    .map((path) => ({ path, role: roleOf(path, named) }))
    .filter(({ path, role }) => !NEVER_READ.has(role) || named.has(path));
  const [checking, product] = [
    roles.filter(({ role }) => isChecking(role)),
    roles.filter(({ role }) => !isChecking(role)),
  ];
  const all = [...checking, ...product].map(({ path }) => path);
  return { read: all.slice(0, FILES_READ_MAX), left: checking.slice(FILES_READ_MAX).map(({ path }) => path) };
}

/** Whether files of this role say what is checked, and how; what tools made is found by its name. */
export function isChecking(role: Role): boolean {
  return role !== "product" && role !== "artefact" && !NEVER_READ.has(role);
}
