/** README.md is true: its commands are carried out as they stand, and what it shows is what a reader sees. */

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { planFrame } from "../../../src/board/frame.ts";
import { spansFrom } from "../../../src/board/time-text.ts";
import { COMMANDS } from "../../../src/cli/commands.ts";
import { activeTask, NOW, planFacts } from "../../fixtures/plan-facts.ts";
import { at, begin, type Carried, carryOut, type Fence, fencesOf, makeReader, type Reader } from "./reader.ts";

const README = readFileSync(at("README.md"), "utf8");

const CLAUDE = "coder: {adapter: claude, model: sonnet}      # Claude Code, as you are logged in";

/** Stands for Claude Code: it does what the prompts ask, one task each. */
const AGENT = `case "$LOCKSTEP_TASK_ID" in
  F-1)
    currency=$(lockstep self ask 'Which currency?' EUR USD --default EUR)
    echo "export const cart = (sums) => sums.reduce((a, b) => a + b, 0) + ' $currency';" > src/cart.js
    echo "wrote src/cart.js" ;;
  F-2) echo "export const shipping = () => 5;" > src/shipping.js ;;
  F-3) echo "export { cart } from './cart.js'; export { shipping } from './shipping.js';" > src/checkout.js ;;
esac
`;

/** A repository of the reader's own, whose tests wait for somebody. */
const SHOP: Readonly<Record<string, string>> = {
  "package.json": JSON.stringify({
    name: "shop",
    private: true,
    type: "module",
    scripts: { test: "node --test", lint: "node --check src/checkout.js" },
  }),
  "package-lock.json": JSON.stringify({ name: "shop", lockfileVersion: 3, packages: { "": { name: "shop" } } }),
  ".gitignore": "node_modules\n",
  "agent.sh": AGENT,
  "src/index.js": "",
  "test/cart.test.js": `import assert from "node:assert"; import { test } from "node:test"; import { cart } from "../src/cart.js";
test("adds", () => assert.equal(cart([1, 2]), "3 EUR"));\n`,
  "test/shipping.test.js": `import assert from "node:assert"; import { test } from "node:test"; import { shipping } from "../src/shipping.js";
test("costs five", () => assert.equal(shipping(), 5));\n`,
};

function sectionOf(title: string): string {
  const section = README.split(`\n## ${title}\n`)[1]?.split("\n## ")[0];
  expect(section, `README.md has a section ${title}`).toBeDefined();
  return section!;
}

const FIRST_PLAN = fencesOf(sectionOf("A first plan in five minutes"));

/** The block that holds these words. */
function blockWith(fences: readonly Fence[], words: string): string {
  const found = fences.filter(({ text }) => text.includes(words));
  expect(found, words).toHaveLength(1);
  return found[0]!.text;
}

const failed = (carried: readonly Carried[]): Carried[] => carried.filter(({ status }) => status !== 0);

async function makeShop(reader: Reader): Promise<string> {
  const shop = join(reader.aside, "shop");
  for (const [name, text] of Object.entries(SHOP)) {
    mkdirSync(dirname(join(shop, name)), { recursive: true });
    writeFileSync(join(shop, name), text);
  }
  expect(failed(await carryOut(reader, "git init -b main && git add -A && git commit -m first", shop))).toEqual([]);
  return shop;
}

/** Writes the files that the section shows, with an agent that this machine has. */
function writeShown(fences: readonly Fence[], shop: string): void {
  for (const name of ["lockstep.yaml", "plan.yaml"]) {
    const shown = blockWith(fences, `# ${name}\n`);
    if (name === "lockstep.yaml") expect(shown).toContain(CLAUDE);
    writeFileSync(join(shop, name), shown.replace(CLAUDE, "coder: {adapter: command, command: [bash, agent.sh]}"));
  }
}

test("the first plan runs as it is told, from `npm link` to `gc`", { timeout: 240_000 }, async () => {
  const fences = FIRST_PLAN;
  const reader = makeReader();
  reader.env["npm_config_prefix"] = join(reader.aside, "prefix");
  reader.env["npm_config_offline"] = "true";
  const carried: Carried[] = [];
  const carry = async (words: string, cwd: string): Promise<Carried[]> => {
    const went = await carryOut(reader, blockWith(fences, words), cwd);
    carried.push(...went);
    expect(failed(went)).toEqual([]);
    return went;
  };

  await carry("npm link", at("."));
  reader.env["PATH"] = `${join(reader.aside, "prefix", "bin")}:${process.env["PATH"]}`;
  const shop = await makeShop(reader);
  await carry("lockstep init", shop);
  writeShown(fences, shop);
  const looked = await carry("lockstep run --dry-run", shop);
  expect(looked.at(-1)!.said).toContain("F-1  Totals of carts");

  const running = begin(reader, blockWith(fences, "lockstep run\n"), shop);
  await running.says("verified  F-2");
  const [status, why, logs, inbox] = await carry("lockstep status", shop);
  expect(status!.said).toContain("needs you  i1  F-1  question: Which currency?");
  expect(why!.said).toContain("dependency_pending");
  expect(logs!.said).toBe("attempt 1 of F-1 goes on\n");
  expect(inbox!.said).toContain("lockstep answer i1 EUR | USD");
  carried.push(...(await running.ended));
  expect(failed(carried)).toEqual([]);

  const [log, diff, prove] = await carry("lockstep prove", shop);
  expect(log!.said).toContain("The sum to pay");
  expect(diff!.said).toContain("+export { cart } from './cart.js';");
  expect(prove!.said).toContain("shop: 3 of 3 verified tasks proved\n");
  expect(existsSync(join(shop, "src/checkout.js"))).toBe(true);
  const told = fences.filter(({ language }) => language === "bash").flatMap(({ text }) => text.trim().split("\n"));
  expect(carried.map(({ command }) => command).sort()).toEqual(told.sort());
});

test("a worker of one's own takes the first task and has it checked", async () => {
  const reader = makeReader();
  const shop = await makeShop(reader);
  writeShown(FIRST_PLAN, shop);
  expect(
    failed(await carryOut(reader, "git add -A && git commit -m plan\nlockstep plan load plan.yaml", shop)),
  ).toEqual([]);
  const commands = fencesOf(sectionOf("Workers of your own"))[0]!.text.trim().split("\n");
  const [next, claim] = await carryOut(reader, commands.slice(0, 2).join("\n"), shop);
  expect(JSON.parse(next!.said)).toMatchObject({ id: "F-1" });
  const claimed = JSON.parse(claim!.said);
  const shown = /\{.*\}/.exec(claim!.command)![0].replaceAll("...", "null");
  expect(claimed).toMatchObject({
    ...JSON.parse(shown),
    expires_at: expect.any(String),
    workspace: expect.any(String),
  });
  writeFileSync(join(claimed.workspace, "src/cart.js"), "export const cart = () => '3 EUR';\n");
  const [done] = await carryOut(reader, commands[2]!, shop);
  expect(done).toMatchObject({ status: 0, said: expect.stringContaining("verified") });
});

test("the live view that it shows is the one that a terminal of 80 columns shows", () => {
  const HOUR_MS = 3_600_000;
  const facts = planFacts({
    plan: "shop",
    revision: 1,
    counts: { ...planFacts().counts, pending: 1, in_progress: 2 },
    run: { ...planFacts().run!, started_at: NOW - 72_000, spent_usd: 0.12 },
    active: [
      activeTask({
        id: "F-1",
        title: "Totals of carts",
        progress: "the totals are written; asks for the currency",
        since: NOW - 71_000,
      }),
      activeTask({ id: "F-2", title: "Shipping", progress: "npm test -- test/shipping.test.js", since: NOW - 70_000 }),
    ],
    items: [
      {
        id: "i1",
        task: "F-1",
        kind: "question",
        text: "Which currency?",
        options: [
          { name: "EUR", effect: "pending" },
          { name: "USD", effect: "pending" },
        ],
        default_option: "EUR",
        deadline_at: NOW + 8 * HOUR_MS,
        wait: null,
      },
    ],
    open_items: 1,
    waits: [{ count: 1, at_least: false, why: "for tasks that are not verified yet" }],
  });
  const plain = (_style: string, text: string): string => text;
  const frame = planFrame(facts, { width: 80, height: 24, moments: spansFrom(NOW), paint: plain });
  const shown = FIRST_PLAN.find(({ language }) => language === "text")!;
  expect(`${frame.join("\n")}\n`).toBe(shown.text);
});

test("the table of commands has every command once, and no other", () => {
  const rows = sectionOf("Commands")
    .split("\n")
    .filter((line) => line.startsWith("| `"));
  const named = rows.flatMap((row) => [...row.split(" | ")[0]!.matchAll(/`([^`]+)`/g)].map((match) => match[1]!));
  const all = COMMANDS.filter(({ hidden }) => hidden !== true).map(({ name }) => name);
  expect(named.sort()).toEqual(all.sort());
});

test("every page that a page names is there", () => {
  const pages = [
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "AGENTS.md",
    ...pagesBelow("docs"),
    ...pagesBelow("examples"),
  ];
  const missing = pages.flatMap((page) => {
    const text = readFileSync(at(page), "utf8").replaceAll(/^```.*?^```$/gms, "");
    const named = [...text.matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map((match) => join(dirname(page), match[1]!));
    return named.filter((file) => !existsSync(at(file))).map((file) => `${page}: ${file}`);
  });
  expect(missing).toEqual([]);
});

function pagesBelow(folder: string): string[] {
  const files = readdirSync(at(folder), { recursive: true, encoding: "utf8" });
  return files.filter((name) => name.endsWith(".md")).map((name) => join(folder, name));
}
