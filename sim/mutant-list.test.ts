import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { MUTANTS } from "./mutant-list.ts";

test.each(MUTANTS)("the planted bug still has its place, exactly once: $name", ({ edits }) => {
  for (const { file, find } of edits) {
    const text = readFileSync(new URL(`../${file}`, import.meta.url), "utf8");
    expect({ file, find, times: text.split(find).length - 1 }).toEqual({ file, find, times: 1 });
  }
});
