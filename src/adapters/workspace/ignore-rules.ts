import ignore, { type Ignore } from "ignore";

/** The rules of one `.gitignore`, for paths below its directory. */
interface Rules {
  /** The directory as a path from the root, "" or with a slash at its end. */
  below: string;
  rules: Ignore;
}

/** The `.gitignore` files that hold for a directory, the outermost first. */
export type IgnoreRules = readonly Rules[];

/** The rules below a directory that has a `.gitignore` of its own. */
export function withRules(outer: IgnoreRules, below: string, text: string): IgnoreRules {
  return [...outer, { below, rules: ignore().add(text) }];
}

/** True when git would leave the path out; a directory's path ends with a slash. The innermost rule that speaks decides. */
export function isIgnored(all: IgnoreRules, path: string): boolean {
  let ignored = false;
  for (const { below, rules } of all) {
    const said = rules.test(path.slice(below.length));
    if (said.ignored) ignored = true;
    else if (said.unignored) ignored = false;
  }
  return ignored;
}
