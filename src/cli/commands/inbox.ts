import type { HeldForPerson } from "../../core/schedule/held-for-person.ts";
import { heldName } from "../../core/schedule/holds.ts";
import { type Asked, askedTogether, tasksText } from "../../core/task/asked-together.ts";
import { afterWait, answerCommand, isWaitedFor, lateAnswer } from "../../core/task/item-words.ts";
import type { ItemRow } from "../../core/task/rows.ts";
import { PAGE } from "../../ports/store.ts";
import type { CommandRun } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { heldNow, releasesOf } from "../plan-facts.ts";
import type { Terminal } from "../terminal.ts";

export const run: CommandRun = async ({ session, terminal }) => {
  const plan = await session.plan();
  const { store, id } = await session.project();
  const asked = askedTogether(await store.openItems(id, plan.id, PAGE));
  const held = await releasesOf(await heldNow(store, id), session.context);
  if (terminal.json) terminal.printJson({ plan: plan.name, items: asked.map(listed), held: held.map(wireRelease) });
  else if (asked.length + held.length === 0) terminal.note("nothing waits for you");
  else {
    for (const each of held) printHeld(terminal, each);
    for (const each of asked) printItem(terminal, each);
  }
  return EXIT.ok;
};

function wireRelease({ hold, agents, command }: HeldForPerson) {
  return { key: hold.key, agents, why: hold.why, command };
}

function printHeld(terminal: Terminal, { hold, agents, command }: HeldForPerson): void {
  const name = terminal.style("bold", heldName(hold));
  terminal.print(`${name}  held, and nothing of ${agents.join(", ")} starts: ${hold.why}`);
  terminal.print(`  ${command}, when that is mended`);
}

function listed({ item, tasks }: Asked) {
  const { id, task, kind, text, options, default_option, deadline_at, wait, opened_at } = item;
  const names = options.map(({ name }) => name);
  return { id, task, tasks, kind, text, options: names, default_option, deadline_at, wait, opened_at };
}

function printItem(terminal: Terminal, { item, tasks }: Asked): void {
  const { id, kind, text, default_option, deadline_at, wait, opened_at } = item;
  const about = tasksText(tasks);
  terminal.print(
    `${terminal.style("bold", id)}  ${kind}${about === null ? "" : ` about ${about}`}, ${terminal.time(opened_at)}: ${text}`,
  );
  terminal.print(`  ${answerCommand(item)}`);
  if (wait !== null) terminal.print(`  ${waitText(terminal, item, wait.until)}`);
  if (default_option !== null && deadline_at !== null)
    terminal.print(`  without an answer: ${default_option}, ${terminal.time(deadline_at)}`);
}

function waitText(terminal: Terminal, item: ItemRow, until: number): string {
  const moment = terminal.time(until);
  return isWaitedFor(item, Date.now())
    ? `its agent waits for that, until ${moment}; without an answer ${afterWait(item)}`
    : `its agent waited for that, until ${moment}; ${lateAnswer(item)}`;
}
