/** A whole plan by the real Claude Code: three tasks in worktrees, checked, landed and proved. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Model, startModel, type Turn } from "../../src/probe/model/model-server.ts";
import { Lab } from "../e2e/cli/lab.ts";
import { claudeEnv, claudeProgram } from "./claude-cli.ts";

const write = (name: string, content: string): Turn => ({
  use: [{ name: "Write", input: { file_path: `{cwd}/${name}`, content } }],
});

const SCRIPTS: Record<string, Turn[]> = {
  money: [
    {
      say: "Prices are whole cents.",
      ...write("money.mjs", "export const euros = (cents) => (cents / 100).toFixed(2);\n"),
    },
    { say: "Prices are written." },
  ],
  cart: [
    write("cart.mjs", "export const total = (items) => items.reduce((sum, { price }) => sum + price, 0);\n"),
    { say: "Totals are right." },
  ],
  bill: [
    // It sees what the tasks landed on which it depends.
    {
      use: [
        { name: "Bash", input: { command: "cat money.mjs cart.mjs > /dev/null && echo seen", description: "look" } },
      ],
    },
    write(
      "bill.mjs",
      'import { total } from "./cart.mjs";\nimport { euros } from "./money.mjs";\nexport const bill = (items) => euros(total(items));\n',
    ),
    { say: "The bill adds up." },
  ],
};

const PLAN = {
  plan: "shop",
  defaults: { agent: "coder", timeout: "2m", tries: 1 },
  tasks: [
    {
      id: "MONEY",
      title: "Prices",
      prompt: "[[play:money]] Write prices.",
      verify: check("money", "euros(150)", "1.50"),
    },
    {
      id: "CART",
      title: "Totals",
      prompt: "[[play:cart]] Add up a cart.",
      verify: check("cart", "total([{price:1},{price:2}])", "3"),
    },
    {
      id: "BILL",
      title: "The bill",
      prompt: "[[play:bill]] Write the bill.",
      depends_on: ["MONEY", "CART"],
      verify: check("bill", "bill([{price:150},{price:50}])", "2.00"),
    },
  ],
};

function check(file: string, expression: string, value: string): string {
  const script = `import * as all from "./${file}.mjs"; const { euros, total, bill } = all; if (String(${expression}) !== "${value}") process.exit(1)`;
  return `node --input-type=module -e '${script}'`;
}

let model: Model;
beforeAll(async () => {
  model = await startModel(SCRIPTS);
});
afterAll(() => model.close());

test("a plan of three tasks runs the real Claude Code in worktrees, lands its work and proves it", async () => {
  const coder = {
    adapter: "claude",
    command: [claudeProgram()],
    model: "sonnet",
    env: claudeEnv(model.url),
    probe: false,
  };
  const config = { jobs: 2, agents: { coder }, workspace: { mode: "worktree" } };
  const lab = new Lab({ git: true, config: `${JSON.stringify(config, null, 2)}\n` });
  lab.write("plan.json", JSON.stringify(PLAN));
  const ran = await lab.run(["run", "plan.json"]);
  expect({ ...ran, code: ran.code }).toMatchObject({ code: 0 });
  const tree = lab.git("ls-tree", "-r", "--name-only", "lockstep/shop").split("\n");
  for (const name of ["bill.mjs", "cart.mjs", "money.mjs"]) {
    expect(tree).toContain(name);
    // The user's own checkout is not the agents'.
    expect(existsSync(join(lab.dir, name))).toBe(false);
  }
  expect([...model.answered].sort()).toEqual(["bill:0", "bill:1", "bill:2", "cart:0", "cart:1", "money:0", "money:1"]);
  const proof = await lab.json<{ ok: boolean; tasks: { id: string; ok: boolean }[] }>(["prove"]);
  expect(proof.ok).toBe(true);
  expect(proof.tasks.map(({ id, ok }) => [id, ok]).sort()).toEqual([
    ["BILL", true],
    ["CART", true],
    ["MONEY", true],
  ]);
  const shown = await lab.json<{ attempts?: { usage?: unknown; cost_usd?: number | null }[] }>([
    "task",
    "show",
    "BILL",
  ]);
  expect(JSON.stringify(shown)).toContain('"cost_usd":0.');
});
