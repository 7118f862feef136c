import { invariant } from "../assert.ts";

/** Longest slug before its hash, which `SLUG` says too: it stands in branch, directory and file names together with others. */
export const SLUG_LENGTH_MAX = 48;

/** 48 bits: two of a million ids share them with a chance below one in 500. Then the next hash is taken. */
const HASH_DIGITS = 12;

/** Hashes tried for one id; a second one is hardly ever needed. */
const HASHES_MAX = 16;

/** A name that can stand in branch and file names as it is. */
export const SLUG = /^[A-Za-z0-9][A-Za-z0-9_-]{0,47}$/;

/**
 * The name of a task in branches and files. An id that is a slug already is kept; any other is made into one, with a hash
 * of the id at its end, and so is an id whose slug is taken or differs from a taken one in case only.
 * `digest` is the SHA-256 of a text in hexadecimal digits; `isTaken` must compare without regard to case.
 */
export function slugOf(id: string, digest: (text: string) => string, isTaken: (slug: string) => boolean): string {
  if (SLUG.test(id) && !isTaken(id)) return id;
  const stem = stemOf(id);
  for (let round = 0; round < HASHES_MAX; round++) {
    const slug = `${stem}-${digest(round === 0 ? id : `${id}\n${round}`).slice(0, HASH_DIGITS)}`;
    if (!isTaken(slug)) return slug;
  }
  invariant(false, `no free slug for the id ${JSON.stringify(id)}`);
}

/**
 * The slugs of many ids in their order; earlier ids take theirs first. `known` holds the slugs that tasks of the plan
 * have already, by id: these stay.
 */
export function slugsOf(
  ids: readonly string[],
  digest: (text: string) => string,
  known: ReadonlyMap<string, string> = new Map(),
): string[] {
  const taken = new Set([...known.values()].map((slug) => slug.toLowerCase()));
  return ids.map((id) => {
    const slug = known.get(id) ?? slugOf(id, digest, (wanted) => taken.has(wanted.toLowerCase()));
    taken.add(slug.toLowerCase());
    return slug;
  });
}

/** What is left of a text in a slug's alphabet: accents go, and other characters become hyphens. */
export function stemOf(text: string, otherwise = "task"): string {
  const stem = text
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .replace(/[^A-Za-z0-9_]+/g, "-")
    .replace(/^[_-]+/, "")
    .slice(0, SLUG_LENGTH_MAX)
    .replace(/[_-]+$/, "");
  return stem === "" ? otherwise : stem;
}
