/** How long a command takes from its start, beside Node doing nothing. */

import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type Lab, layeredTasks, openLab } from "./lab.ts";
import { inTurn, type Row, timed } from "./measure.ts";

const CLI = fileURLToPath(new URL("../dist/cli/main.cjs", import.meta.url));
const ROUNDS = 15;

export async function startup(): Promise<Row[]> {
  const rows: Row[] = [];
  const [small, large] = [await openLab(), await openLab()];
  await small.load(layeredTasks(100, 10));
  await large.load(layeredTasks(100_000, 10));
  const add = async (what: string, lab: Lab, args: string[], aim: string): Promise<number> => {
    const { a, b } = await inTurn(
      ROUNDS,
      () => timed(() => run(lab, [CLI, ...args])),
      () => timed(() => run(lab, ["-e", "0"])),
    );
    rows.push({ what, value: `${a.toFixed(0)} ms`, floor: `${b.toFixed(0)} ms`, ratio: `${(a / b).toFixed(2)}x`, aim });
    return a;
  };
  await add("lockstep --help", small, ["--help"], "at most 1.6x of node -e 0");
  const few = await add("lockstep next, plan of 100", small, ["next", "--json"], "at most 1.6x");
  const many = await add("lockstep next, plan of 100,000", large, ["next", "--json"], "at most 1.6x");
  await add("lockstep status, plan of 100,000", large, ["status"], "at most 2.5x");
  rows.push({
    what: "next, 100,000 against 100",
    value: `${many.toFixed(0)} ms`,
    floor: `${few.toFixed(0)} ms`,
    ratio: `${(many / few).toFixed(2)}x`,
    aim: "flat within 10 %",
  });
  for (const lab of [small, large]) await lab.close();
  return rows;
}

function run({ dir, env }: Lab, args: string[]): void {
  execFileSync(process.execPath, args, { cwd: dir, env, stdio: "ignore" });
}
