/** A whole plan by the real OpenCode, driven by its server: two tasks in worktrees, checked, landed and proved. */

import { afterAll, beforeAll, expect, test } from "vitest";
import type { Model, Turn } from "../../src/probe/model/model-server.ts";
import { startTranslatedModel } from "../../src/probe/model/translated-model.ts";
import { Lab } from "../e2e/cli/lab.ts";
import { openCodeProgram } from "./opencode-cli.ts";
import { placeIn } from "./place.ts";

const write = (name: string, content: string) => ({ name: "write", input: { filePath: `{cwd}/${name}`, content } });
const COMMIT = "git add -A && git -c user.name=a -c user.email=a@b.c commit -qm 'Prices'";

const SCRIPTS: Record<string, Turn[]> = {
  price: [
    { use: [write("price.mjs", "export const price = () => 150;\n")] },
    // It may commit by itself, or leave that to whoever lands it.
    { use: [{ name: "bash", input: { command: COMMIT, description: "commit it" } }] },
    { say: "Prices are written." },
  ],
  bill: [
    {
      use: [write("bill.mjs", 'import { price } from "./price.mjs";\nexport const bill = () => 2 * price();\n')],
    },
    { say: "The bill adds up." },
  ],
};

const check = (name: string, value: number): string =>
  `node --input-type=module -e 'import * as all from "./${name}.mjs"; if (all.${name}() !== ${value}) process.exit(1)'`;

const PLAN = {
  plan: "shop",
  defaults: { agent: "open", timeout: "2m", tries: 1 },
  tasks: [
    { id: "PRICE", prompt: "[[play:price]] Write it.", verify: check("price", 150) },
    { id: "BILL", prompt: "[[play:bill]] Write it.", depends_on: ["PRICE"], verify: check("bill", 300) },
  ],
};

let model: Model;
beforeAll(async () => {
  model = await startTranslatedModel(SCRIPTS);
});
afterAll(() => model.close());

test("a plan of two tasks runs OpenCode in worktrees, lands its work, proves it and knows its price", async () => {
  const lab = new Lab({ git: true });
  const place = placeIn(lab.base);
  const { program, env } = openCodeProgram(place, model.url);
  const open = { adapter: "opencode", command: program, model: "scripted/one", env, probe: false };
  lab.write("lockstep.yaml", `${JSON.stringify({ agents: { open }, workspace: { mode: "worktree" } })}\n`);
  lab.write("plan.json", JSON.stringify(PLAN));
  const ran = await lab.run(["run", "plan.json"]);
  expect(ran).toMatchObject({ code: 0 });
  const tree = lab.git("ls-tree", "-r", "--name-only", "lockstep/shop").split("\n");
  expect(tree).toEqual(expect.arrayContaining(["bill.mjs", "price.mjs"]));
  expect(await lab.json(["prove"])).toMatchObject({ ok: true });
  expect(JSON.stringify(await lab.json(["task", "show", "BILL"]))).toContain('"cost_usd":0.001');
});
