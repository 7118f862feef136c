import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { expect, test } from "vitest";
import { PROBLEMS_MAX } from "./parse-source.ts";
import { BUILT_IN_SETTINGS } from "./plan-settings.ts";
import { readPlanBytes, readPlanFile } from "./read-plan-file.ts";

const settings = BUILT_IN_SETTINGS;

async function read(text: string) {
  return readPlanBytes(Buffer.from(text), "plan.json", { settings });
}

async function problemsOf(value: unknown): Promise<string[]> {
  const result = await read(JSON.stringify(value));
  return result.ok ? [] : result.problems.map(({ path, message }) => `${path}: ${message}`);
}

const WRONG = [
  'plan a plan\'s name has 1 to 48 letters (a to z), digits, "_" or "-" and begins with a letter or digit; "broken plan" does not: try "broken-plan"',
  'defaults.lane unknown lane "buld": the nearest known one is "build"',
  'tasks[0].dependson unknown key "dependson": the nearest known one is "depends_on"',
  'tasks[1].verify the check "true" proves nothing: it is green whatever was done; name a real one, or say `unchecked: true`',
  'tasks[2].depends_on[0] "C" depends on "D", which is no task of this plan; did you mean "A"?',
  "tasks[3].id is missing: text is expected",
  "tasks[4].timeout must be a duration such as 90s, 10m, 1h or 1h30m, at most 24 days",
  "tasks[4].tries must be a number, not text",
  'tasks[4].outside must be one of warn, refuse: unknown word "refuze": the nearest known one is "refuse"',
  "tasks[5] has no verify: say which command shows that the task is done, or `unchecked: true` when none can",
  "tasks[6].id an id has no control characters, and this one has U+0007",
  'tasks[7].id the id "A" is that of task number 1 already; ids are unique in a plan',
  'tasks[7].agent unknown agent "scirpt": the nearest known one is "script"',
  'tasks[8].verify.rum unknown key "rum": the nearest known one is "run"',
  "tasks[8].verify.timeout must be a duration such as 90s, 10m, 1h or 1h30m, at most 24 days",
];

test.each([
  ["wrong.yaml", "1:7 2:19 6:5 8:13 11:18 12:5 16:14 17:12 18:14 19:5 20:9 22:11 22:39 23:24 23:48"],
  ["wrong.json", "2:11 3:25 5:40 6:28 7:55 8:5 9:51 9:64 9:80 10:5 11:13 12:13 12:49 13:30 13:60"],
])("every problem of %s is told at once, at its place, and only once", async (name, places) => {
  const path = fileURLToPath(new URL(`../../test/fixtures/plans/${name}`, import.meta.url));
  const result = await readPlanFile(path, { settings: { ...settings, agents: ["script"] } });
  if (result.ok) throw new Error("the plan is wrong");
  expect(result.problems.map((problem) => `${problem.path} ${problem.message}`)).toEqual(WRONG);
  expect(result.problems.map(({ line, col }) => `${line}:${col}`).join(" ")).toBe(places);
  expect(new Set(result.problems.map(({ file }) => file))).toEqual(new Set([path]));
});

test.each<[unknown, string[]]>([
  [[], [": must be an object, not a list"]],
  [{ plan: "p" }, ["tasks: is missing: a list is expected"]],
  [{ plan: "p", tasks: [] }, ["tasks: must have at least one task"]],
  [{ plan: "p", tasks: {} }, ["tasks: must be a list, not an object"]],
  [{ plan: 7, tasks: [{ id: "A", verify: "x" }] }, ["plan: must be text, not the number 7 (put it in quotes)"]],
  [
    { plan: "p", tasks: [null, "x", 3] },
    ["null", "text", "the number 3"].map((kind, index) => `tasks[${index}]: must be an object, not ${kind}`),
  ],
  [{ plan: "p", tasks: [{ id: 1, verify: "x" }] }, ["tasks[0].id: must be text, not the number 1 (put it in quotes)"]],
  [{ plan: "p", tasks: [{ id: "", verify: "x" }] }, ["tasks[0].id: an id has at least one character"]],
  [{ plan: "p", tasks: [{ ID: "A", verify: "x" }] }, ['tasks[0].ID: unknown key "ID": the nearest known one is "id"']],
  [
    {
      plan: "p",
      tasks: [
        { id: "A", verify: ["x", 5, { run: 1 }] },
        { id: "B", verify: 5 },
      ],
    },
    [
      "tasks[0].verify[1]: must be a command or {run, timeout}",
      "tasks[0].verify[2].run: must be text, not the number 1 (put it in quotes)",
      "tasks[1].verify: must be a command, {run, timeout}, or a list of these",
    ],
  ],
  [
    { plan: "p", tasks: [{ id: "A", verify: ["npm test", "  ", { run: "echo ok" }], guards: "true" }] },
    ["verify[1]", "verify[2].run", "guards"].map(
      (place, index) =>
        `tasks[0].${place}: the check ${['"  "', '"echo ok"', '"true"'][index]} proves nothing: it is green whatever was done; name a real one, or say \`unchecked: true\``,
    ),
  ],
  [
    {
      plan: "p",
      tasks: [{ id: "A", verify: "x", tries: 0, priority: 1.5, timeout: "0s", labels: [""], red_first: "no" }],
    },
    [
      "tasks[0].priority: must be a whole number, not the number 1.5",
      "tasks[0].tries: must be at least 1",
      "tasks[0].timeout: must be longer than nothing: a limit of 0 would stop everything at once",
      "tasks[0].red_first: must be true or false, not text",
      "tasks[0].labels[0]: must not be empty",
    ].sort(),
  ],
  [
    { plan: "p", tasks: [{ id: "A", verify: "x", scope: "wbe" }], scopes: { web: {}, db: { pathes: [] } } },
    ['scopes.db.pathes: unknown key "pathes": the nearest known one is "paths"'],
  ],
  [
    { plan: "p", tasks: [{ id: "A", verify: "x" }], defaults: { scope: "wbe" }, scopes: { web: {} } },
    ['defaults.scope: unknown scope "wbe": the nearest known one is "web"'],
  ],
  [
    { plan: "p", tasks: [{ id: "A", verify: "x" }], scopes: { web: { paths: [], deny: ["a{"] } } },
    [
      "scopes.web.paths: must name a glob at least",
      'scopes.web.deny[0]: the glob "a{" is not understood: it opens a brace that is never closed; write \\{ for the character',
    ],
  ],
  [
    { plan: "p", tasks: [{ id: "A", verify: "x" }], barriers: [1.5] },
    ["barriers[0]: must be a whole number, not the number 1.5"],
  ],
  [
    { plan: "p", tasks: [{ id: "A", verify: "x", "<<": {} }] },
    ['tasks[0]["<<"]: merge keys ("<<") are not read: write the keys out'],
  ],
  [
    { plan: "p", tasks: [{ id: "A", verify: "x", lane: "constructor" }] },
    ['tasks[0].lane: unknown lane "constructor": the nearest known one is "build"'],
  ],
  [
    { plan: "p", tasks: [{ id: "A", verify: "x" }], defaults: { clean: true } },
    [
      "tasks[0]: clean: true is only for the workspace modes worktree and clone: elsewhere the checks run where people's files are",
    ],
  ],
  [
    { plan: "p", features: [], tasks: [{ id: "A", verify: "x" }] },
    ['features: unknown key "features": the nearest known one is "defaults"'],
  ],
])("%j is refused", async (value, problems) => {
  expect((await problemsOf(value)).sort()).toEqual([...problems].sort());
});

test("who waits for whom is judged in the same pass", async () => {
  const tasks = [
    { id: "A", verify: "x", depends_on: ["B"] },
    { id: "B", verify: "x", depends_on: ["A"] },
    { id: "C", verify: "x", depends_on: ["C"] },
    { id: "D" },
  ];
  const problems = await problemsOf({ plan: "p", tasks });
  expect(problems).toHaveLength(3);
  expect(problems[1]).toBe('tasks[2].depends_on[0]: "C" depends on itself');
  expect(problems[2]).toMatch(/^tasks\[3\]: has no verify/);
});

test("nobody is told that a task does not exist which is there but wrong", async () => {
  const tasks = [
    { id: "A", verify: 5 },
    { id: "B", verify: "x", depends_on: ["A"] },
  ];
  expect(await problemsOf({ plan: "p", tasks })).toHaveLength(1);
});

test("a wrong default is told once, not at every task", async () => {
  const tasks = [{ id: "A" }, { id: "B" }];
  expect(await problemsOf({ plan: "p", tasks, defaults: { verify: "true" } })).toEqual([
    'defaults.verify: the check "true" proves nothing: it is green whatever was done; name a real one, or say `unchecked: true`',
  ]);
});

test("the list of problems has an end", async () => {
  const tasks = Array.from({ length: 3000 }, (_, index) => ({ id: `T${index}` }));
  const problems = await problemsOf({ plan: "p", tasks });
  expect(problems).toHaveLength(PROBLEMS_MAX + 1);
  expect(problems.at(-1)).toBe(": and 2000 more problems that are not listed");
});

test("random documents are compiled or refused, never thrown at", async () => {
  const word = fc.constantFrom("A", "B", "x", "true", "10m", "build", "web", "");
  const field = fc.constantFrom(
    "id",
    "title",
    "verify",
    "guards",
    "depends_on",
    "wave",
    "priority",
    "timeout",
    "scope",
    "unchecked",
    "lane",
    "run",
    "labels",
    "oops",
  );
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 3 },
      word,
      fc.integer({ min: -2, max: 4 }),
      fc.boolean(),
      fc.constant(null),
      tie("list"),
      tie("record"),
    ),
    list: fc.array(tie("any"), { maxLength: 4 }),
    record: fc.dictionary(field, tie("any"), { maxKeys: 5 }),
  }));
  const plan = fc.record(
    {
      plan: word,
      tasks: fc.array(value.record, { maxLength: 5 }),
      features: value.list,
      defaults: value.record,
      barriers: value.list,
      scopes: fc.dictionary(word, value.record),
      slug: word,
    },
    { requiredKeys: [] },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.oneof({ arbitrary: plan, weight: 3 }, { arbitrary: fc.jsonValue(), weight: 1 }),
      async (document) => {
        const result = await read(JSON.stringify(document));
        if (!result.ok) expect(result.problems.length).toBeGreaterThan(0);
      },
    ),
    { numRuns: 1000 },
  );
});

test("random bytes are refused with a message", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ maxLength: 300 }),
      fc.constantFrom("p.json", "p.yaml", "p"),
      async (bytes, name) => {
        const result = await readPlanBytes(Buffer.from(bytes), name, { settings });
        expect(result.ok ? "" : result.problems[0]?.message).not.toBe("");
      },
    ),
  );
});
