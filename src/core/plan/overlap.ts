import { haveCommonPath } from "./common-path.ts";
import { type Glob, readGlob, segmentsOf } from "./glob.ts";
import { foldCase, holds, type Literal, mayBeSame } from "./glob-character.ts";

/** Steps that one question may cost, some milliseconds: beyond it the globs are strange enough to be taken as overlapping. */
const STEPS_MAX = 500_000;

/** Globs that are kept as read: the scheduler asks about the same few for every start. */
const KEPT_GLOBS_MAX = 2_000;

/** Globs with more patterns than this are read anew each time, so that what is kept stays small. */
const KEPT_PATTERNS_MAX = 8;

/** Whether a path of one owner may be a path of the other. Owning nothing overlaps with nothing. */
export function ownersMayOverlap(a: readonly string[], b: readonly string[]): boolean {
  return a.some((one) => b.some((other) => globsMayOverlap(one, other)));
}

/**
 * Whether some path may match both globs (see `readGlob`). Names that differ in case only are taken as the same. When
 * unsure, globs overlap: one that is not understood overlaps with all.
 */
export function globsMayOverlap(a: string, b: string): boolean {
  const [one, other] = [globOf(a), globOf(b)];
  if (one.problem !== null || other.problem !== null) return true;
  const walk = { areSame: mayBeSame, stepsLeft: STEPS_MAX };
  return one.patterns.some((x) => other.patterns.some((y) => haveCommonPath(x, y, walk)));
}

/** Whether a glob matches a path below the root of the repository, whatever the case. One that is not understood matches. */
export function matchesGlob(glob: string, path: string): boolean {
  const read = globOf(glob);
  if (read.problem !== null) return true;
  const names = segmentsOf(path.normalize("NFC")).map(literalsOf);
  const walk = { areSame: isCharacterOf, stepsLeft: STEPS_MAX };
  return read.patterns.some((pattern) => haveCommonPath(pattern, names, walk));
}

const literalsOf = (name: string): Literal[] =>
  [...name].map((character) => ({ kind: "literal", code: foldCase(character.codePointAt(0)!) }));

/** The second one is always a character of the path. */
function isCharacterOf(wanted: Parameters<typeof mayBeSame>[0], given: Parameters<typeof mayBeSame>[1]): boolean {
  if (given.kind !== "literal") return false;
  return wanted.kind === "set" ? holds(wanted, given.code) : wanted.code === given.code;
}

const kept = new Map<string, Glob>();

function globOf(text: string): Glob {
  const known = kept.get(text);
  if (known !== undefined) return known;
  const glob = readGlob(text);
  if (kept.size >= KEPT_GLOBS_MAX) kept.clear();
  if (glob.problem !== null || glob.patterns.length <= KEPT_PATTERNS_MAX) kept.set(text, glob);
  return glob;
}
