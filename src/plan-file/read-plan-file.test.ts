import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { BUILT_IN_SETTINGS, type PlanSettings } from "./plan-settings.ts";
import { readPlanBytes, readPlanFile } from "./read-plan-file.ts";

const fixture = (name: string) => fileURLToPath(new URL(`../../test/fixtures/plans/${name}`, import.meta.url));

async function read(name: string, text: string, settings: Partial<PlanSettings> = {}) {
  return readPlanBytes(Buffer.from(text), name, { settings: { ...BUILT_IN_SETTINGS, ...settings } });
}

async function planOf(value: object, settings: Partial<PlanSettings> = {}) {
  const result = await read("plan.json", JSON.stringify(value), settings);
  if (!result.ok) throw new Error(result.problems.map((problem) => problem.message).join("\n"));
  return result.plan;
}

async function taskOf(task: object, more: object = {}, settings: Partial<PlanSettings> = {}) {
  return (await planOf({ plan: "p", tasks: [{ id: "A", ...task }], ...more }, settings)).tasks[0]!;
}

test("a plan with every key is read", async () => {
  const result = await readPlanFile(fixture("full.yaml"), {
    settings: { ...BUILT_IN_SETTINGS, agents: ["coder"], workspace: "worktree" },
  });
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  const [first, second, third] = result.plan.tasks;
  expect(result.plan).toMatchObject({
    name: "checkout",
    policy: { workspace: "worktree", land: { mode: "merge", target: "lockstep/checkout", base: null } },
    warnings: [],
  });
  expect(result.scopes["web"]).toEqual({ depends_on: ["core"], model: "large", budget: { usd: 5 } });
  expect(first?.definition).toMatchObject({ tries: 2, scope: "core", prompt: "Make the totals right." });
  expect(first?.definition).toMatchObject({ scope_paths: ["src/core/**"], scope_deny: ["src/core/secret/**"] });
  expect(second).toEqual({
    id: "F-002",
    slug: "F-002",
    natural_key: "F-0012\u0001F-002",
    depends_on: ["F-001"],
    path: 1,
    definition: {
      title: "F-002",
      prompt: "F-002",
      depends_on: ["F-001"],
      verify: [
        { run: "npm test -- checkout", timeout_ms: 500 },
        { run: "npm run lint", timeout_ms: 60_000 },
      ],
      guards: [{ run: "npm run types", timeout_ms: 5_400_000 }],
      files_owned: [],
      wave: 2,
      priority: 1,
      lane: "reviewed",
      agent: "coder",
      role: "build",
      skill: "css",
      scope: "web",
      scope_paths: [],
      scope_deny: [],
      labels: ["ui", "urgent"],
      estimated_minutes: 45,
      tries: 5,
      timeout_ms: 90_000,
      retry_delay_ms: 60_000,
      unchecked: false,
      red_first: true,
      clean: true,
      protect: ["package.json"],
      outside: "refuse",
      weakened_checks: "allow",
      changes: "required",
      on_dependency_failed: "cascade",
    },
  });
  expect(third).toMatchObject({ depends_on: ["F-001", "F-002"], definition: { unchecked: true, verify: [] } });
});

test("a task that says nothing but its check gets the built-in defaults", async () => {
  expect((await taskOf({ verify: "npm test" })).definition).toEqual({
    title: "A",
    prompt: "A",
    depends_on: [],
    verify: [{ run: "npm test", timeout_ms: 600_000 }],
    guards: [],
    files_owned: [],
    wave: 1,
    priority: 3,
    lane: "build",
    agent: null,
    role: null,
    skill: null,
    scope: null,
    scope_paths: [],
    scope_deny: [],
    labels: [],
    estimated_minutes: null,
    tries: 3,
    timeout_ms: 3_600_000,
    retry_delay_ms: 10_000,
    unchecked: false,
    red_first: false,
    clean: false,
    protect: [],
    outside: "warn",
    weakened_checks: "ask",
    changes: "optional",
    on_dependency_failed: "wait",
  });
});

test("the task goes before its plan, the plan before the configuration, and that before what is built in", async () => {
  const settings = { defaults: { tries: 7, timeout: "2h", priority: 4, verify: "make check", guards: "make lint" } };
  const plan = { defaults: { timeout: "3h", priority: 5, verify_timeout: "1m" } };
  expect((await taskOf({ priority: 6 }, plan, settings)).definition).toMatchObject({
    tries: 7,
    timeout_ms: 10_800_000,
    priority: 6,
    verify: [{ run: "make check", timeout_ms: 60_000 }],
    guards: [{ run: "make lint", timeout_ms: 60_000 }],
  });
  expect((await taskOf({ verify_timeout: "2m" }, plan, settings)).definition).toMatchObject({
    verify: [{ run: "make check", timeout_ms: 120_000 }],
    guards: [{ run: "make lint", timeout_ms: 120_000 }],
  });
});

test("files that the project protects stay protected, whatever a task says", async () => {
  const { definition } = await taskOf({ verify: "x", protect: ["b", "a"] }, {}, { protect: ["a"] });
  expect(definition.protect).toEqual(["a", "b"]);
});

test("a task that says that it is unchecked does not inherit a check, and keeps its own", async () => {
  const defaults = { defaults: { verify: "npm test" } };
  expect((await taskOf({ unchecked: true }, defaults)).definition).toMatchObject({ unchecked: true, verify: [] });
  expect((await taskOf({ unchecked: true, verify: "true" }, defaults)).definition.verify).toEqual([
    { run: "true", timeout_ms: 600_000 },
  ]);
});

test("a missing file is a problem without a place", async () => {
  expect(await readPlanFile("nowhere/plan.yaml", { settings: BUILT_IN_SETTINGS })).toEqual({
    ok: false,
    problems: [{ file: "nowhere/plan.yaml", path: "", message: "there is no such file" }],
  });
});

test("a byte order mark and CRLF change nothing but the hash", async () => {
  const text = "plan: p\ntasks:\n  - id: A\n    verify: |\n      npm ci\n      npm test\n";
  const plain = await read("plan.yaml", text);
  const windows = await read("plan.yaml", `\uFEFF${text.replaceAll("\n", "\r\n")}`);
  if (!plain.ok || !windows.ok) throw new Error("both are right");
  expect(windows.plan.tasks).toEqual(plain.plan.tasks);
  expect(windows.plan.tasks[0]?.definition.verify[0]?.run).toBe("npm ci\nnpm test\n");
  expect(windows.plan.source_hash).not.toBe(plain.plan.source_hash);
});

test("the hash of the source covers the plan and the configuration", async () => {
  const value = { plan: "p", tasks: [{ id: "A", verify: "x" }] };
  const hashes = [
    await planOf(value),
    await planOf(value),
    await planOf(value, { hash: "other" }),
    await planOf({ ...value, barriers: [] }),
  ].map((plan) => plan.source_hash);
  expect(hashes[0]).toMatch(/^[0-9a-f]{64}$/);
  expect(hashes[1]).toBe(hashes[0]);
  expect(new Set(hashes).size).toBe(3);
});

test("any id without control characters is accepted, in YAML as in JSON, and gets a safe slug of its own", async () => {
  const ids = [
    "a b",
    "a/b",
    "..",
    "../../etc/passwd",
    "-rf",
    "--help",
    "🚀",
    "日本語",
    "x".repeat(300),
    "A B",
    "a",
    "A",
    "F.1",
    "é",
    "é".normalize("NFD"),
    " ",
    "#",
    "null",
    "1",
    "true",
    "*x",
    "__proto__",
    "constructor",
  ];
  const value = { plan: "p", tasks: ids.map((id) => ({ id, verify: "x" })) };
  const yaml = `plan: p\ntasks:\n${ids.map((id) => `  - id: ${JSON.stringify(id)}\n    verify: x\n`).join("")}`;
  const json = await planOf(value);
  const fromYaml = await read("plan.yaml", yaml);
  expect(json.tasks.map((task) => task.id)).toEqual(ids);
  expect(fromYaml.ok && fromYaml.plan.tasks).toEqual(json.tasks);
  const slugs = json.tasks.map((task) => task.slug);
  for (const slug of slugs) expect(slug).toMatch(/^[A-Za-z0-9][A-Za-z0-9_-]{0,60}$/);
  expect(new Set(slugs.map((slug) => slug.toLowerCase())).size).toBe(ids.length);
});

test("a plan's own name may be asked for, but not another", async () => {
  const bytes = Buffer.from(JSON.stringify({ plan: "p", tasks: [{ id: "A", verify: "x" }] }));
  const settings = BUILT_IN_SETTINGS;
  expect(await readPlanBytes(bytes, "plan.json", { settings, planName: "p" })).toMatchObject({ ok: true });
  expect(await readPlanBytes(bytes, "plan.json", { settings, planName: "q" })).toEqual({
    ok: false,
    problems: [{ file: "plan.json", line: 1, col: 9, path: "plan", message: 'the plan of this file is "p", not "q"' }],
  });
});
