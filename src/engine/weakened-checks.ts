/** What a change does to the checks that it has to pass is judged before any of them runs. */

import { allCommands, filesOfChecks } from "../core/integrity/check-commands.ts";
import { filesToRead, isChecking } from "../core/integrity/files-to-read.ts";
import { judgeIntegrity } from "../core/integrity/judge-integrity.ts";
import { pathsNamedBy, roleOf } from "../core/integrity/roles.ts";
import { weakenedText } from "../core/integrity/weakened-text.ts";
import { matchesGlob } from "../core/plan/overlap.ts";
import type { Candidate, FileSides, WorkspaceRefusal } from "../ports/workspace.ts";
import { protectedGlobs } from "./landing-ownership.ts";
import type { Landing } from "./landing-work.ts";

const NO_NAMES: ReadonlySet<string> = new Set();

/** Null where nothing is weakened, a person let it pass, or the task may do so. */
export async function weakenedChecks(
  landing: Landing,
  candidate: Candidate,
): Promise<{ cause: "weakened_checks"; text: string } | WorkspaceRefusal | null> {
  const {
    context,
    record: { row, definition },
  } = landing;
  if (definition.weakened_checks === "allow" || row.rulings?.weakened_checks === "allow") return null;
  const commands = [...definition.verify, ...definition.guards].map(({ run }) => run);
  const paths = candidate.changed.map(({ path }) => path);
  const { read, left } = filesToRead(paths, commands);
  if (read.length === 0) return null;
  const sides = await context.workspace.sides(candidate, { paths: read, at_tip: filesOfChecks(commands) });
  if (sides === null || "code" in sides) return sides;
  const checks = allCommands(commands, sides.tip);
  const named = pathsNamedBy(checks);
  const added = new Set(candidate.changed.flatMap(({ path, status }) => (status === "added" ? path : [])));
  // What a check only reads weakened nothing as long as it was not there.
  const isNewData = (path: string): boolean => added.has(path) && !isChecking(roleOf(path, NO_NAMES));
  const unread = sides.files.filter(
    (file) => isUnread(file) && isChecking(roleOf(file.path, named)) && !isNewData(file.path),
  );
  const found = judgeIntegrity({
    files: sides.files,
    checks,
    // They are asked about by themselves.
    protect: [],
    unread: [...left, ...unread.map(({ path }) => path)],
  });
  const isLetPass = (path: string): boolean =>
    row.rulings?.protected_files === "allow" && protectedGlobs(landing).some((glob) => matchesGlob(glob, path));
  const findings = found.filter(({ path }) => !isLetPass(path));
  return findings.length === 0 ? null : { cause: "weakened_checks", text: weakenedText(findings) };
}

/** A file that is no text any more may still be run. */
function isUnread({ before, after, mode_after, too_large }: FileSides): boolean {
  return too_large || (before !== null && after === null && mode_after !== null);
}
