import { dirname } from "node:path";
import { agentDraws } from "../../compose/agent-draws.ts";
import type { AgentConfig } from "../../config/config.ts";
import { agentKey, drawsOn, heldName } from "../../core/schedule/holds.ts";
import type { HoldRow } from "../../core/task/rows.ts";
import type { CommandRun } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { usageFailure } from "../failure.ts";
import { heldNow } from "../plan-facts.ts";

export const run: CommandRun = async ({ args, env, session, terminal }) => {
  const name = args[0]!;
  const { store, id, place, configuration } = await session.project();
  const { agents } = (await configuration()).config;
  if (!Object.hasOwn(agents, name))
    throw usageFailure(`agent ${name} is not configured`, "`lockstep agent list` has all of them.");
  const keys = [agentKey(name), ...drawsOn(agentDraws(name, agents[name]!))];
  const released = (await heldNow(store, id)).filter(({ key }) => keys.includes(key));
  const { letStart } = await import("../../compose/program-known.ts");
  await letStart({ agents, root: dirname(place.config_file), env }, name);
  const { actor } = await session.context();
  for (const { key } of released) await store.submit({ type: "hold.clear", project: id, key }, { actor });
  if (terminal.json) terminal.printJson({ agent: name, released: released.map(({ key }) => key) });
  else if (released.length === 0) terminal.note(`nothing holds ${name}`);
  else for (const hold of released) terminal.print(`released  ${heldName(hold)}${alsoFreed(hold, name, agents)}`);
  return EXIT.ok;
};

/** The other agents that draw on the same thing, and may start again too. */
function alsoFreed({ key }: HoldRow, name: string, agents: Readonly<Record<string, AgentConfig>>): string {
  const others = Object.keys(agents).filter(
    (other) => other !== name && drawsOn(agentDraws(other, agents[other]!)).includes(key),
  );
  return others.length === 0 ? "" : `, for ${others.join(", ")} too`;
}
