/** What is wrong with how commits that land are to be written. */

import { MESSAGE_PLACEHOLDERS, unknownPlaceholders } from "../core/task/commit-message.ts";
import { type Finding, quoted, unknownName } from "../plan-file/finding.ts";
import type { WrittenConfig } from "./config-schema.ts";

/** `NAME <ADDRESS>`, as git writes it: neither may hold what ends the other. */
export const AUTHOR = /^([^<>\n]*[^<>\s])\s+<([^<>\s]+)>$/;

export function commitProblems({ land }: WrittenConfig): Finding[] {
  const found: Finding[] = [];
  const [unknown] = unknownPlaceholders(land?.message ?? "");
  const names = MESSAGE_PLACEHOLDERS.map((name) => `{${name}}`);
  if (unknown !== undefined)
    found.push({ path: ["land", "message"], message: unknownName("placeholder", `{${unknown}}`, names) });
  if (land?.author !== undefined && !AUTHOR.test(land.author))
    found.push({ path: ["land", "author"], message: `must be "NAME <ADDRESS>", not ${quoted(land.author)}` });
  return found;
}
