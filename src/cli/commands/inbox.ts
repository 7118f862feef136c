import { type Asked, askedTogether, tasksText } from "../../core/task/asked-together.ts";
import { PAGE } from "../../ports/store.ts";
import type { CommandRun } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import type { Terminal } from "../terminal.ts";

export const run: CommandRun = async ({ session, terminal }) => {
  const plan = await session.plan();
  const { store, id } = await session.project();
  const items = await store.openItems(id, plan.id, PAGE);
  if (terminal.json) terminal.printJson({ plan: plan.name, items: askedTogether(items).map(listed) });
  else if (items.length === 0) terminal.note("nothing waits for you");
  else for (const asked of askedTogether(items)) printItem(terminal, asked);
  return EXIT.ok;
};

function listed({ item, tasks }: Asked) {
  const { id, task, kind, text, options, default_option, deadline_at, opened_at } = item;
  const names = options.map(({ name }) => name);
  return { id, task, tasks, kind, text, options: names, default_option, deadline_at, opened_at };
}

function printItem(terminal: Terminal, { item, tasks }: Asked): void {
  const { id, kind, text, options, default_option, deadline_at, opened_at } = item;
  const about = tasksText(tasks);
  const names = options.map(({ name }) => name).join(" | ");
  terminal.print(
    `${terminal.style("bold", id)}  ${kind}${about === null ? "" : ` about ${about}`}, ${terminal.time(opened_at)}: ${text}`,
  );
  terminal.print(`  lockstep answer ${id} ${names}`);
  if (default_option !== null && deadline_at !== null)
    terminal.print(`  without an answer: ${default_option}, ${terminal.time(deadline_at)}`);
}
