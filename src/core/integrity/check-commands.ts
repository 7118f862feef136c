/** Check commands name files that say what is checked in their stead: what these name belongs to the checks, too. */

import { pathsNamedBy } from "./roles.ts";

/** Scripts of a package that one check reaches, one by way of another; more are a circle. */
const SCRIPTS_MAX = 50;

/** Longer files are no scripts that a person wrote. */
const SCRIPT_LENGTH_MAX = 100_000;

const PACKAGE_SCRIPT = /\b(?:npm|pnpm|yarn|bun)\s+(?:(?:-[\w-]+|run(?:-script)?)\s+)*([\w:.-]+)/g;

/** A program that runs a file, and the file; or a file that is run by its own name. */
const CALL =
  /(?:^|[\s;&|("'`@])(?:(?:bash|sh|zsh|dash|node|tsx|ts-node|deno run|bun run|python3?|ruby|perl|php|source|\.)\s+(?:-[\w=-]+\s+)*|(?=\.\/))([\w@.-]*[\w@./-]*\.\w+|[\w@.-]+\/[\w@./-]+)/gm;

/** The files, as a check in the project's directory names them, whose texts `allCommands` needs. */
export function filesOfChecks(checks: readonly string[]): string[] {
  const files = [...pathsNamedBy(checks)];
  if (checks.some((check) => /\b(?:npm|pnpm|yarn|bun)\s/.test(check))) files.push("package.json");
  if (checks.some((check) => /\bmake\b/.test(check))) files.push("Makefile");
  return files;
}

/** The checks, the scripts of the package that they run, and the files that these and the named scripts run. */
export function allCommands(checks: readonly string[], texts: ReadonlyMap<string, string>): string[] {
  const commands = [...checks, ...packageScripts(checks, texts.get("package.json"))];
  const called = [...texts]
    .filter(([path]) => path !== "package.json")
    .flatMap(([, text]) => [...text.slice(0, SCRIPT_LENGTH_MAX).matchAll(CALL)].map(([, file]) => file!));
  return [...commands, ...called];
}

function packageScripts(checks: readonly string[], text: string | undefined): string[] {
  const scripts = scriptsOf(text);
  const reached = new Map<string, string>();
  const waiting = [...checks];
  for (let next = waiting.pop(); next !== undefined && reached.size < SCRIPTS_MAX; next = waiting.pop()) {
    for (const [, word] of next.slice(0, SCRIPT_LENGTH_MAX).matchAll(PACKAGE_SCRIPT)) {
      const name = word === "t" ? "test" : word!;
      for (const key of [`pre${name}`, name, `post${name}`]) {
        const body = scripts[key];
        if (typeof body !== "string" || reached.has(key)) continue;
        reached.set(key, body);
        waiting.push(body);
      }
    }
  }
  return [...reached.values()];
}

function scriptsOf(text: string | undefined): Record<string, unknown> {
  if (text === undefined) return {};
  try {
    const read = JSON.parse(text) as { scripts?: Record<string, unknown> } | null;
    return read?.scripts ?? {};
  } catch {
    // Not our file to judge: a check that runs its scripts will be red.
    return {};
  }
}
