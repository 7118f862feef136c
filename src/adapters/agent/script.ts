/** The script of the adapter `scripted`: JSON -> checked steps, or all that is wrong with it. Pure. */

import type { Usage } from "../../core/task/rows.ts";

/** One thing that a scripted agent does. Paths are relative to the workspace and never lead out of it. */
export type Step =
  | { do: "write" | "append"; path: string; text: string }
  /** Every `old` becomes `new`; there must be one. */
  | { do: "replace"; path: string; old: string; new: string }
  /** A file, or a directory with all that is in it; there must be one. */
  | { do: "delete"; path: string }
  /** A shell command; any exit but 0 fails the attempt. */
  | { do: "run"; command: string }
  | { do: "wait"; ms: number }
  | { do: "say" | "progress"; text: string }
  /** Used so far, the whole attempt. */
  | { do: "usage"; usage: Usage; cost_usd: number | null }
  /** Ends the attempt; a list that ends without either has succeeded. */
  | { do: "done"; summary: string | null }
  | { do: "fail"; error: string };

/** Steps by `TASK#N` (the n-th attempt of a task), `TASK`, or `*` for every other task. */
export type Script = ReadonlyMap<string, readonly Step[]>;

export type ScriptResult = { ok: true; script: Script } | { ok: false; problems: string[] };

type Fields = Record<string, unknown>;

/** What a step may say beside its verb. */
const EXTRAS: Record<Step["do"], readonly string[]> = {
  write: ["text"],
  append: ["text"],
  replace: ["old", "new"],
  delete: [],
  run: [],
  wait: [],
  say: [],
  progress: [],
  usage: [],
  done: [],
  fail: [],
};
const VERBS = Object.keys(EXTRAS) as Step["do"][];
const BUCKETS = ["input", "output", "cache_read", "cache_write"] as const;

/** A day: longer than any attempt has a use for. */
const WAIT_MS_MAX = 86_400_000;

/** Enough to mend a script by; whoever wrote more of the same mistake needs no longer list. */
const PROBLEMS_MAX = 20;

/** Reads a script: an object of lists of steps, each an object with one verb, such as `{"write": "a.txt", "text": "…"}`. */
export function readScript(text: string): ScriptResult {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return { ok: false, problems: [`is no JSON: ${error.message}`] };
    throw error;
  }
  if (!isObject(value)) return { ok: false, problems: ["must be an object: lists of steps by TASK#N, TASK or *"] };
  const problems: string[] = [];
  const script = new Map(Object.entries(value).map(([key, steps]) => [key, readSteps(key, steps, problems)]));
  return problems.length === 0 ? { ok: true, script } : { ok: false, problems: problems.slice(0, PROBLEMS_MAX) };
}

/** What is played in an attempt (`TASK#N`) of a task, or null where the script says nothing of it. */
export function stepsFor(script: Script, attempt: string, task: string): readonly Step[] | null {
  return script.get(attempt) ?? script.get(task) ?? script.get("*") ?? null;
}

function readSteps(key: string, steps: unknown, problems: string[]): Step[] {
  if (!Array.isArray(steps)) {
    problems.push(`${key}: must be a list of steps`);
    return [];
  }
  return steps.flatMap((fields: unknown, index) => {
    const where = `${key}[${index}]`;
    const step = isObject(fields) ? readStep(fields) : `must be an object with one of ${VERBS.join(", ")}`;
    if (typeof step === "object") return [step];
    problems.push(`${where}: ${step}`);
    return [];
  });
}

/** The step, or what is wrong with it. */
function readStep(fields: Fields): Step | string {
  const verbs = VERBS.filter((verb) => Object.hasOwn(fields, verb));
  const [verb] = verbs;
  if (verb === undefined || verbs.length > 1) return `must have exactly one of ${VERBS.join(", ")}`;
  const known = [verb, ...EXTRAS[verb]];
  const unknown = Object.keys(fields).find((name) => !known.includes(name));
  if (unknown !== undefined) return `unknown key ${JSON.stringify(unknown)}: a step ${verb} has ${known.join(", ")}`;
  const isText = (name: string): boolean => typeof fields[name] === "string";
  const wrong = EXTRAS[verb].find((name) => !isText(name));
  if (wrong !== undefined) return `needs ${JSON.stringify(wrong)}, a text`;
  switch (verb) {
    case "write":
    case "append":
    case "replace":
    case "delete":
      return readFileStep(verb, fields);
    case "wait":
      return readWait(fields["wait"]);
    case "usage":
      return readUsage(fields["usage"]);
    case "done":
      if (fields["done"] === true) return { do: verb, summary: null };
  }
  const text = fields[verb];
  if (typeof text !== "string") return `${verb} must be a text`;
  if (verb === "run") return { do: verb, command: text };
  if (verb === "done") return { do: verb, summary: text };
  if (verb === "fail") return { do: verb, error: text };
  return { do: verb, text };
}

function readFileStep(verb: "write" | "append" | "replace" | "delete", fields: Fields): Step | string {
  const path = fields[verb];
  if (typeof path !== "string") return `${verb} must be a path`;
  const wrong = pathProblem(path);
  if (wrong !== null) return `${verb}: ${wrong}`;
  if (verb === "delete") return { do: verb, path };
  if (verb !== "replace") return { do: verb, path, text: fields["text"] as string };
  if (fields["old"] === "") return '"old" must not be empty';
  return { do: verb, path, old: fields["old"] as string, new: fields["new"] as string };
}

function pathProblem(path: string): string | null {
  const parts = path.split("/");
  const name = JSON.stringify(path);
  if (path.startsWith("/")) return `${name} must be relative to the workspace`;
  if (parts.includes("..")) return `${name} must not lead out of the workspace`;
  if (path.includes("\0") || parts.every((part) => part === "" || part === ".")) return `${name} names no file`;
  return null;
}

function readWait(ms: unknown): Step | string {
  if (!Number.isInteger(ms) || (ms as number) < 0 || (ms as number) > WAIT_MS_MAX) {
    return `wait must be a number of milliseconds from 0 to ${WAIT_MS_MAX}`;
  }
  return { do: "wait", ms: ms as number };
}

function readUsage(value: unknown): Step | string {
  if (!isObject(value)) return "usage must be an object";
  const known = [...BUCKETS, "cost_usd"];
  const unknown = Object.keys(value).find((name) => !known.includes(name));
  if (unknown !== undefined) return `usage: unknown key ${JSON.stringify(unknown)}: it has ${known.join(", ")}`;
  const { cost_usd = null } = value;
  const usage = Object.fromEntries(BUCKETS.map((name) => [name, value[name] ?? 0])) as Record<keyof Usage, number>;
  const wrong = BUCKETS.find((name) => !Number.isSafeInteger(usage[name]) || usage[name] < 0);
  if (wrong !== undefined) return `usage: ${wrong} must be a whole number from 0`;
  const isPrice = cost_usd === null || (typeof cost_usd === "number" && Number.isFinite(cost_usd) && cost_usd >= 0);
  return isPrice
    ? { do: "usage", usage, cost_usd: cost_usd as number | null }
    : "usage: cost_usd must be a number from 0";
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
