/** A whole plan by the real Gemini CLI and the real OpenCode over ACP: work in worktrees, checked, landed and proved. */

import { afterAll, beforeAll, expect, test } from "vitest";
import type { Model, Turn } from "../../src/probe/model/model-server.ts";
import { startTranslatedModel } from "../../src/probe/model/translated-model.ts";
import { Lab } from "../e2e/cli/lab.ts";
import { geminiCli, openCodeCli } from "./acp-cli.ts";
import { placeIn } from "./place.ts";

const SCRIPTS: Record<string, Turn[]> = {
  price: [
    {
      use: [
        { name: "write_file", input: { file_path: "{cwd}/price.mjs", content: "export const price = () => 150;\n" } },
      ],
    },
    { say: "Prices are written." },
  ],
  bill: [
    {
      use: [
        {
          name: "write",
          input: {
            filePath: "{cwd}/bill.mjs",
            content: 'import { price } from "./price.mjs";\nexport const bill = () => 2 * price();\n',
          },
        },
      ],
    },
    { say: "The bill adds up." },
  ],
};

const check = (file: string, expression: string, value: number): string =>
  `node --input-type=module -e 'import * as all from "./${file}.mjs"; if (all.${expression}() !== ${value}) process.exit(1)'`;

const PLAN = {
  plan: "shop",
  defaults: { timeout: "2m", tries: 1 },
  tasks: [
    { id: "PRICE", agent: "fast", prompt: "[[play:price]] Write it.", verify: check("price", "price", 150) },
    {
      id: "BILL",
      agent: "open",
      prompt: "[[play:bill]] Write it.",
      depends_on: ["PRICE"],
      verify: check("bill", "bill", 300),
    },
  ],
};

let model: Model;
beforeAll(async () => {
  model = await startTranslatedModel(SCRIPTS);
});
afterAll(() => model.close());

test("a plan of two tasks runs Gemini CLI and OpenCode in worktrees, lands their work and proves it", async () => {
  const lab = new Lab({ git: true });
  const home = placeIn(lab.base);
  const [gemini, openCode] = [geminiCli(home, model.url), openCodeCli(home, model.url)];
  const agents = {
    fast: { adapter: "gemini", command: gemini.program, env: gemini.env, probe: false },
    open: { adapter: "opencode-acp", command: openCode.program, env: openCode.env, probe: false },
  };
  lab.write("lockstep.yaml", `${JSON.stringify({ agents, workspace: { mode: "worktree" } })}\n`);
  lab.write("plan.json", JSON.stringify(PLAN));
  const ran = await lab.run(["run", "plan.json"]);
  expect(ran).toMatchObject({ code: 0 });
  const tree = lab.git("ls-tree", "-r", "--name-only", "lockstep/shop").split("\n");
  expect(tree).toEqual(expect.arrayContaining(["bill.mjs", "price.mjs"]));
  expect(await lab.json(["prove"])).toMatchObject({ ok: true });
});
