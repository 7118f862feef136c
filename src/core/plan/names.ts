import { SLUG, SLUG_LENGTH_MAX, stemOf } from "./slug.ts";

/** Characters (code points) that an id may have. */
const ID_LENGTH_MAX = 300;

/**
 * What is wrong with a task's id, as a sentence about it; null: nothing. Spaces are characters like any other, at both
 * ends, too: ids are compared as they are written.
 */
export function taskIdProblem(id: string): string | null {
  if (id === "") return "an id has at least one character";
  const length = [...id].length;
  if (length > ID_LENGTH_MAX) return `an id has at most ${ID_LENGTH_MAX} characters, and this one ${length}`;
  const control = /\p{Cc}/u.exec(id);
  if (control !== null) return `an id has no control characters, and this one has ${codeName(control[0])}`;
  const surrogate = /\p{Cs}/u.exec(id);
  if (surrogate !== null)
    return `an id is well-formed text, and this one has half a character, ${codeName(surrogate[0])}`;
  return null;
}

/** What is wrong with a plan's name, which stands in branch names as it is; null: nothing. */
export function planNameProblem(name: string): string | null {
  if (SLUG.test(name)) return null;
  const proposal = JSON.stringify(stemOf(name, "plan"));
  return `a plan's name has 1 to ${SLUG_LENGTH_MAX} letters (a to z), digits, "_" or "-" and begins with a letter or digit; ${JSON.stringify(name)} does not: try ${proposal}`;
}

function codeName(character: string): string {
  return `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
}
