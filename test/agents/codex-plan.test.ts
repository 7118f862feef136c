/** A whole plan by the real Codex: two tasks in worktrees, checked, landed and proved. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { type Model, startModel, type Turn } from "../../src/probe/model/model-server.ts";
import { RESPONSES_USAGE } from "../../src/probe/model/responses-api.ts";
import { Lab } from "../e2e/cli/lab.ts";
import { CODEX_MODEL, codexCommand, codexEnv } from "./codex-cli.ts";

const add = (file: string, line: string): Turn => ({
  use: [{ name: "apply_patch", input: { text: `*** Begin Patch\n*** Add File: ${file}\n+${line}\n*** End Patch` } }],
});

const SCRIPTS: Record<string, Turn[]> = {
  money: [
    add("money.mjs", "export const euros = (cents) => (cents / 100).toFixed(2);"),
    { say: "Prices are written." },
  ],
  bill: [
    { use: [{ name: "exec_command", input: { cmd: "cat money.mjs" } }] },
    add("bill.mjs", 'export { euros as bill } from "./money.mjs";'),
    { say: "The bill adds up." },
  ],
};

const task = (id: string, file: string, depends_on: string[]) => ({
  id,
  title: id,
  prompt: `[[play:${file}]] Write ${file}.mjs.`,
  verify: `node --check ${file}.mjs`,
  depends_on,
});

let model: Model;
beforeAll(async () => {
  model = await startModel(SCRIPTS);
});
afterAll(() => model.close());

test("a plan of two tasks runs the real Codex in worktrees, lands its work and proves it", async () => {
  const own = mkdtempSync(join(tmpdir(), "lockstep-codex-"));
  onTestFinished(() => rmSync(own, { recursive: true, force: true, maxRetries: 5 }));
  const env = codexEnv(own);
  const coder = { adapter: "codex", command: codexCommand(model.url), model: CODEX_MODEL, env, probe: false };
  const config = { agents: { coder }, workspace: { mode: "worktree" } };
  const lab = new Lab({ git: true, config: JSON.stringify(config) });
  const tasks = [task("MONEY", "money", []), task("BILL", "bill", ["MONEY"])];
  lab.write(
    "plan.json",
    JSON.stringify({ plan: "shop", defaults: { agent: "coder", timeout: "2m", tries: 1 }, tasks }),
  );
  const ran = await lab.run(["run", "plan.json"]);
  expect({ ...ran, code: ran.code }).toMatchObject({ code: 0 });
  const tree = lab.git("ls-tree", "-r", "--name-only", "lockstep/shop").split("\n");
  for (const name of ["bill.mjs", "money.mjs"]) expect(tree).toContain(name);
  expect(model.answered).toEqual(["money:0", "money:1", "bill:0", "bill:1", "bill:2"]);
  expect(await lab.json(["prove"])).toMatchObject({ ok: true });
  const shown = JSON.stringify(await lab.json(["task", "show", "BILL"]));
  expect(shown).toContain(`"output":${3 * RESPONSES_USAGE.output_tokens}`);
});
