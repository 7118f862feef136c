import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { ChangedFile, IntegrityChange } from "../../src/core/integrity/integrity-change.ts";

/** A change of the corpus, and what is to be found in it. */
export interface Case {
  name: string;
  about: string;
  /** The rules of which one must be found; empty for an honest change. */
  rules: string[];
  change: IntegrityChange;
}

/** All cases of a directory, by name. */
export function readCases(directory: string): Case[] {
  return readdirSync(directory)
    .filter((name) => name.endsWith(".case"))
    .sort()
    .map((name) => readCase(basename(name, ".case"), readFileSync(join(directory, name), "utf8")));
}

/**
 * Reads a case: `about:`, `rule:`, `checks:` and `protect:` at its head, then each file as a whole behind `@@ path`, or
 * `@@ old -> new` where it was renamed. A line of a file begins with a blank where both sides hold it, with `-` where only
 * the side before the change does, and with `+` where only the later one does. `mode: 100644 100755` may follow a path.
 */
export function readCase(name: string, text: string): Case {
  const [head, ...files] = text.split(/^@@ /m);
  const field = (key: string): string => new RegExp(`^${key}: *(.*)$`, "m").exec(head!)?.[1] ?? "";
  const list = (key: string): string[] =>
    field(key)
      .split(", ")
      .filter((item) => item !== "");
  return {
    name,
    about: field("about"),
    rules: list("rule"),
    change: { files: files.map(readFile), checks: list("checks"), protect: list("protect") },
  };
}

function readFile(section: string): ChangedFile {
  const [title, ...lines] = section.replace(/\n$/, "").split("\n");
  const [old, renamed] = title!.split(" -> ");
  const modes = /^mode: (\d+) (\d+)$/.exec(lines[0] ?? "");
  const body = modes === null ? lines : lines.slice(1);
  const side = (sign: string): string | null => {
    const own = body.filter((line) => line.startsWith(sign) || line === "" || line.startsWith(" "));
    const isThere = own.length > 0 || body.length === 0;
    return isThere ? `${own.map((line) => line.slice(1)).join("\n")}\n` : null;
  };
  const before = side("-");
  const after = side("+");
  const changed = before === after ? "mode" : "modified";
  return {
    path: renamed ?? old!,
    old_path: renamed === undefined ? null : old!,
    kind: before === null ? "added" : after === null ? "deleted" : renamed !== undefined ? "renamed" : changed,
    before,
    after,
    mode_before: before === null ? null : (modes?.[1] ?? "100644"),
    mode_after: after === null ? null : (modes?.[2] ?? "100644"),
  };
}
