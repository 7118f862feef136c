import { BUCKETS } from "../../core/policy/cost.ts";
import { PAGE, SPENDING_BY, type SpendingBy } from "../../ports/store.ts";
import type { Call, CommandRun } from "../command.ts";
import { type CostLine, costLines, costText, tokensText, total } from "../cost-lines.ts";
import { EXIT } from "../exit-codes.ts";
import { namedPlan } from "../named-plan.ts";
import { textOption } from "../read-options.ts";
import type { Terminal } from "../terminal.ts";

export const run: CommandRun = async (call) => {
  const { terminal, session } = call;
  const by = byOption(call);
  const plan = await namedPlan(call);
  const { store, configuration } = await session.project();
  const { config } = await configuration();
  const checksOnly = (agent: string | null): boolean =>
    agent === "none" ||
    (agent !== null && Object.hasOwn(config.agents, agent) && config.agents[agent]!.adapter === "none");
  const spending = (await store.spending(plan.id, by)).filter(({ agent }) => !checksOnly(agent));
  const lines = costLines(spending, config.prices);
  const listed = lines.slice(0, PAGE);
  if (terminal.json)
    terminal.printJson({
      plan: plan.name,
      by,
      lines: listed.map(wire),
      more: lines.length - listed.length,
      total: wire(total(lines)),
    });
  else if (lines.length === 0) terminal.note("no attempt by an agent has ended yet");
  else printTable(terminal, by, listed, lines);
  return EXIT.ok;
};

function byOption(call: Call): SpendingBy {
  const written = textOption(call, "by");
  return SPENDING_BY.find((known) => known === written) ?? "task";
}

/** Millionths of a dollar are below what any price table says. */
function wire(line: CostLine): CostLine {
  return { ...line, cost_usd: line.cost_usd === null ? null : Math.round(line.cost_usd * 1e6) / 1e6 };
}

function printTable(terminal: Terminal, by: SpendingBy, listed: readonly CostLine[], all: readonly CostLine[]): void {
  const head = [by, "attempts", ...BUCKETS.map((bucket) => bucket.replace("_", " ")), "cost"];
  const sum = total(all);
  const rows = [head, ...listed.map((line) => cells(line, line.key ?? "unknown")), cells(sum, "total")];
  const widths = head.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  for (const [index, row] of rows.entries()) {
    const text = row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!)));
    terminal.print(index === 0 ? terminal.style("dim", text.join("  ")) : text.join("  "));
  }
  if (all.length > listed.length)
    terminal.note(`and ${all.length - listed.length} more, cheaper each; the total is of all`);
  if (sum.untold > 0) terminal.note(`${sum.untold} of ${sum.attempts} attempts did not tell what they used`);
  if (sum.partial > 0)
    terminal.note(`${sum.partial} of ${sum.attempts} attempts were cut off: they used at least that`);
}

function cells(line: CostLine, name: string): string[] {
  return [
    name,
    String(line.attempts),
    ...BUCKETS.map((bucket) => tokensText(line, line.usage[bucket])),
    costText(line),
  ];
}
