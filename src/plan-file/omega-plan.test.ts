import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { BUILT_IN_SETTINGS } from "./plan-settings.ts";
import { readPlanBytes, readPlanFile } from "./read-plan-file.ts";

const dag = fileURLToPath(new URL("../../test/fixtures/plans/omega/checkout/plan/DAG.json", import.meta.url));
const settings = BUILT_IN_SETTINGS;

async function read(value: unknown, path = "shop/DAG.json", planName?: string) {
  const options = planName === undefined ? { settings } : { settings, planName };
  return readPlanBytes(Buffer.from(JSON.stringify(value)), path, options);
}

test("a DAG.json is taken as it is, and what nothing checks is unchecked with a warning", async () => {
  const result = await readPlanFile(dag, { settings });
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  const { name, tasks, warnings } = result.plan;
  expect(name).toBe("checkout");
  expect(tasks.map((task) => [task.id, task.depends_on])).toEqual([
    ["F-1", []],
    ["F-2", ["F-1"]],
    ["F-3", ["F-1"]],
  ]);
  expect(tasks[0]?.definition).toMatchObject({
    title: "Cart",
    verify: [{ run: "pytest -q tests/test_cart.py", timeout_ms: 600_000 }],
    unchecked: false,
    wave: 2,
    estimated_minutes: 20,
    files_owned: ["src/cart.py"],
    skill: "python",
    role: "coder",
  });
  expect(tasks[1]?.definition).toMatchObject({
    unchecked: true,
    wave: 1,
    estimated_minutes: 30,
    files_owned: ["README.md"],
  });
  expect(tasks[2]?.definition).toMatchObject({ title: "F-3", unchecked: true, verify: [], skill: null });
  expect(warnings).toEqual([
    {
      file: dag,
      line: 21,
      col: 21,
      path: "features[1].verify_cmd",
      message: '"F-2" has a verify_cmd that proves nothing ("true"): it is loaded as unchecked',
    },
    {
      file: dag,
      line: 24,
      col: 5,
      path: "features[2].verify_cmd",
      message: '"F-3" has no verify_cmd: it is loaded as unchecked',
    },
  ]);
});

test("the plan is named as asked for, else by its slug, else by its directory", async () => {
  const features = [{ id: "F-1", verify_cmd: "make test" }];
  const nameOf = async (...input: Parameters<typeof read>) => {
    const result = await read(...input);
    return result.ok ? result.plan.name : result.problems[0]?.message;
  };
  expect(await nameOf({ features, slug: "shop-1" }, "x/DAG.json", "asked")).toBe("asked");
  expect(await nameOf({ features, slug: "shop-1" }, "x/DAG.json")).toBe("shop-1");
  expect(await nameOf({ features }, "/some/shop/DAG.json")).toBe("shop");
  expect(await nameOf({ features, slug: "" }, "/some/shop/plan/DAG.json")).toBe("shop");
  expect(await nameOf({ features }, "/some/my shop/DAG.json")).toBe(
    'a plan\'s name has 1 to 48 letters (a to z), digits, "_" or "-" and begins with a letter or digit; "my shop" does not: try "my-shop" (name the plan with --plan)',
  );
});

test("waves of a DAG.json are hints: they are not compiled into dependencies", async () => {
  const features = [
    { id: "F-1", wave: 1, verify_cmd: "x" },
    { id: "F-2", wave: 2, verify_cmd: "x" },
  ];
  const result = await read({ features });
  expect(result.ok && result.plan.tasks.map((task) => task.depends_on)).toEqual([[], []]);
});

test("what cannot be a plan is refused with its place", async () => {
  const features = [
    { id: 1, verify_cmd: "x" },
    { id: "F-2", depends_on: "F-1", verify_cmd: 5 },
    { id: "F-3", depends_on: ["F-9"] },
  ];
  const result = await read({ features });
  expect(result.ok ? [] : result.problems.map(({ path, message }) => `${path}: ${message}`)).toEqual([
    "features[0].id: must be text, not the number 1 (put it in quotes)",
    "features[1].depends_on: must be a list, not text",
    "features[1].verify_cmd: must be text, not the number 5 (put it in quotes)",
    'features[2].depends_on[0]: "F-3" depends on "F-9", which is no task of this plan; did you mean "F-2"?',
  ]);
  expect(await read({ features: [] })).toMatchObject({
    problems: [{ path: "features", message: "must have at least one feature" }],
  });
});
