import { nearestNames } from "../core/plan/nearest-name.ts";
import type { CommandSpec } from "./command.ts";
import type { Failure } from "./failure.ts";
import { usageFailure } from "./failure.ts";

/** What somebody probably meant who named no command. `group`: the first word of several commands, where it is one. */
export function unknownCommand(
  words: readonly string[],
  group: string | null,
  commands: readonly CommandSpec[],
): Failure {
  const visible = commands.filter(({ hidden }) => !hidden).map(({ name }) => name);
  if (group !== null) {
    const verbs = visible.filter((name) => name.startsWith(`${group} `)).map((name) => name.slice(group.length + 1));
    if (words.length === 1)
      return usageFailure(`\`${group}\` needs a verb: ${verbs.join(", ")}`, `\`lockstep help ${group}\` shows them.`);
    const nearest = nearestNames(verbs)(words[1]!);
    return usageFailure(
      `unknown command ${group} ${words[1]}`,
      nearest ? `Did you mean \`lockstep ${group} ${nearest}\`?` : `It is one of: ${verbs.join(", ")}.`,
    );
  }
  const nearest = nearestNames([...visible, ...visible.map((name) => name.split(" ")[0]!)])(words[0]!);
  return usageFailure(
    `unknown command ${words[0]}`,
    nearest ? `Did you mean \`lockstep ${nearest}\`?` : "`lockstep --help` lists the commands.",
  );
}
