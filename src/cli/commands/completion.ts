import { readdirSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Complete } from "@bomb.sh/tab";
import { RootCommand, script } from "@bomb.sh/tab";
import { ProjectUnusable } from "../../compose.ts";
import { PAGE, StoreUnavailable } from "../../ports/store.ts";
import type { Call, CommandRun, OptionSpec } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { Failure, usageFailure } from "../failure.ts";
import { optionsOf } from "../parse-arguments.ts";

const SHELLS = ["bash", "zsh", "fish", "powershell"];

export const run: CommandRun = async (call) => {
  if (call.spec.hidden) return complete(call);
  const shell = call.args[0]!;
  if (!SHELLS.includes(shell))
    throw usageFailure(`there is no completion for ${shell}`, `It is one of: ${SHELLS.join(", ")}.`);
  script(shell, "lockstep", "lockstep");
  return EXIT.ok;
};

/** What may come next, printed for the script of the shell: made from the same table as help. */
async function complete(call: Call): Promise<number> {
  const words = [...call.args];
  const names = await knownNames(call, words.at(-1) ?? "");
  const root = new RootCommand();
  const offerOption = (to: Pick<RootCommand, "option">, { name, short, value, choices, summary }: OptionSpec): void => {
    if (value === undefined) to.option(name, summary, short as string);
    else to.option(name, summary, (offer) => offerAll(offer, choices ?? names(value)), short);
  };
  for (const option of optionsOf(null)) offerOption(root, option);
  for (const spec of call.commands.filter(({ hidden }) => !hidden)) {
    // The library finds a command of two words only when its first word is one, too.
    const group = spec.name.split(" ")[0]!;
    if (group !== spec.name && !root.commands.has(group)) root.command(group, `Commands about a ${group}`);
    const command = root.command(spec.name, spec.summary);
    for (const argument of spec.arguments)
      command.argument(argument.name, (offer) => offerAll(offer, names(argument.name)));
    for (const option of optionsOf(spec)) offerOption(command, option);
  }
  root.parse(words);
  return EXIT.ok;
}

function offerAll(offer: Complete, values: readonly string[]): void {
  for (const value of values) offer(value, "");
}

/** Values by the name that help gives an argument or an option's value. */
async function knownNames({ session, cwd }: Call, begun: string): Promise<(what: string) => readonly string[]> {
  const { plans, tasks } = await loadedNames(session, begun);
  return (what) => {
    const files = /FILE|DIR/.test(what) ? filesFor(cwd, begun) : [];
    if (what === "SHELL") return SHELLS;
    if (what === "TASK") return tasks;
    return [...(/PLAN|NAME/.test(what) ? plans : []), ...files];
  };
}

/** A shell that asks outside a project, or while the store is away, simply gets no names. */
async function loadedNames(session: Call["session"], begun: string): Promise<{ plans: string[]; tasks: string[] }> {
  try {
    const { store, id } = await session.project();
    const plans = (await store.plans(id)).map(({ name }) => name);
    const tasks = await store.taskIds((await session.plan()).id, begun, PAGE);
    return { plans, tasks };
  } catch (error) {
    const isExpected =
      error instanceof ProjectUnusable || error instanceof StoreUnavailable || error instanceof Failure;
    if (!isExpected) throw error;
    return { plans: [], tasks: [] };
  }
}

function filesFor(cwd: string, begun: string): string[] {
  const folder = begun.endsWith("/") ? begun : dirname(begun);
  const at = resolve(cwd, folder);
  if (!statSync(at, { throwIfNoEntry: false })?.isDirectory()) return [];
  const entries = readdirSync(at, { withFileTypes: true }).slice(0, PAGE);
  return entries.map((entry) => `${join(folder, entry.name)}${entry.isDirectory() ? "/" : ""}`);
}
