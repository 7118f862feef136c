/** Help, errors and the shape of what people read, compared letter by letter. `UPDATE_GOLDEN=1` writes them anew. */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { hostname, userInfo } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { COMMANDS } from "../../../src/cli/commands.ts";
import { Lab } from "../../e2e/cli/lab.ts";

const SHOP = {
  plan: "shop",
  tasks: [
    { id: "F-001", title: "Cart totals", prompt: "Add the totals.", verify: "test -f cart", files_owned: ["cart"] },
    { id: "F-002", title: "Checkout page", depends_on: ["F-001"], verify: ["test -f page", "grep -q pay page"] },
    { id: "F-003", title: "Old page", verify: "test ! -f old", priority: 5 },
  ],
};

/** What differs from one machine, or one moment, to the next. */
function plain(lab: Lab, text: string): string {
  return text
    .replaceAll(lab.base, "<lab>")
    .replaceAll(hostname(), "<host>")
    .replaceAll(userInfo().username, "<user>")
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>")
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "<uuid>")
    .replace(/\d+\.\d+ s\b/g, "<seconds> s")
    .replace(/blobs\/checks\/\w\w/g, "blobs/checks/<shard>");
}

async function compare(name: string, lab: Lab, args: readonly string[], options: Parameters<Lab["run"]>[1] = {}): Promise<void> {
  const { code, stdout, stderr } = await lab.run(args, options);
  const said = [`$ lockstep ${args.join(" ")}`, plain(lab, stdout), ...(stderr === "" ? [] : ["--- stderr", plain(lab, stderr)]), `--- exit ${code}`].join("\n");
  const file = join(import.meta.dirname, `${name}.txt`);
  if (process.env["UPDATE_GOLDEN"] === "1" || !existsSync(file)) {
    expect(process.env["UPDATE_GOLDEN"], `${file} is missing: UPDATE_GOLDEN=1 writes it`).toBe("1");
    writeFileSync(file, `${said}\n`);
  }
  expect(`${said}\n`).toBe(readFileSync(file, "utf8"));
}

test("help lists every command, and each has a page with examples", async () => {
  const lab = new Lab();
  await compare("help", lab, ["--help"]);
  await compare("help-task", lab, ["task", "--help"]);
  for (const { name, hidden, examples } of COMMANDS) {
    if (hidden) continue;
    expect(examples.length).toBeGreaterThan(0);
    await compare(`help-${name.replace(" ", "-")}`, lab, ["help", ...name.split(" ")]);
  }
});

test("what is written wrongly is told with the nearest right word, and changes nothing", async () => {
  const lab = new Lab();
  await lab.load(SHOP);
  await compare("unknown-command", lab, ["stauts"]);
  await compare("unknown-verb", lab, ["task", "dnoe"]);
  await compare("missing-verb", lab, ["plan"]);
  await compare("unknown-option", lab, ["claim", "--tll", "3m"]);
  await compare("missing-value", lab, ["claim", "--ttl"]);
  await compare("missing-argument", lab, ["why"]);
  await compare("too-many-arguments", lab, ["why", "F-001", "F-002"]);
  await compare("bad-duration", lab, ["claim", "--ttl", "soon"]);
  await compare("missing-token", lab, ["task", "done", "F-001"]);
  await compare("no-jobs", lab, ["run", "--jobs", "0"]);
  await compare("postgres", lab, ["status", "--store", "postgres://host/db"]);
});

test("a plan file with problems is refused with every place", async () => {
  const lab = new Lab();
  lab.write("plan.yaml", "plan: shop\ntasks:\n  - {id: a, title: A, verify: 'true'}\n  - {id: b, titel: B, verify: make}\n  - {id: c, title: C, verify: make, depends_on: [a, x]}\n");
  await compare("plan-refused", lab, ["plan", "load", "plan.yaml"]);
  await compare("plan-missing", lab, ["plan", "load", "none.yaml"]);
  await compare("no-plan", lab, ["status"]);
  const bare = new Lab({ config: "" });
  await compare("no-project", bare, ["status"]);
  const broken = new Lab({ config: "jobz: 3\nstore: x.db\n" });
  await compare("config-refused", broken, ["plan", "check", "plan.yaml"]);
});

test("a plan is shown as people read it", async () => {
  const lab = new Lab();
  await lab.load(SHOP);
  await compare("status", lab, []);
  await compare("plan-show", lab, ["plan", "show"]);
  await compare("plan-graph", lab, ["plan", "graph"]);
  await compare("next", lab, ["next"]);
  await compare("why", lab, ["why", "F-002"]);
  await compare("dry-run", lab, ["run", "--dry-run", "--agent", "none"]);
  await compare("ambiguous", lab, ["why", "F-"]);
  await compare("unknown-task", lab, ["why", "F-0001"]);
  await compare("claim", lab, ["claim", "--as", "anna"]);
  await compare("stale-token", lab, ["task", "done", "F-001", "--token", "99"]);
  await compare("not-ready", lab, ["claim", "F-002"]);
  await compare("status-active", lab, ["status"]);
  lab.write("cart", "totals\n");
  await compare("task-done", lab, ["task", "done", "F-001", "--token", "1"]);
  await compare("task-show", lab, ["task", "show", "F-001"]);
  await compare("illegal-move", lab, ["task", "retry", "F-001"]);
  await compare("inside-attempt", lab, ["status"], { env: { LOCKSTEP_ATTEMPT: "x/F-001#1" } });
});
