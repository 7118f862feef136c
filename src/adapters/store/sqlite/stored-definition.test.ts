import fc from "fast-check";
import { expect, test } from "vitest";
import type { TaskDefinition } from "../../../core/plan/definition.ts";
import { defineTask, resolveDefaults } from "../../../plan-file/task-definition.ts";
import { decodeDefinition, encodeDefinition } from "./stored-definition.ts";

const PLAIN = defineTask(
  { id: "F-1", title: "Sum", verify: "npm test" },
  resolveDefaults({}, { defaults: {}, protect: [] }),
);

const PLACE = { plan: "p", task: "F-1", row: "definition" };

test("of a task that says little, little is stored", () => {
  expect(JSON.parse(encodeDefinition(PLAIN))).toEqual({
    title: "Sum",
    prompt: "Sum",
    verify: [{ run: "npm test", timeout_ms: 600_000 }],
  });
});

test("what stands in a store means the same for ever", () => {
  expect(JSON.stringify(decodeDefinition('{"title":"Sum"}', PLACE))).toBe(
    '{"title":"Sum","prompt":"","depends_on":[],"verify":[],"guards":[],"files_owned":[],"wave":1,"priority":3,' +
      '"lane":"build","agent":null,"role":null,"skill":null,"scope":null,"scope_paths":[],"scope_deny":[],"labels":[],"estimated_minutes":null,' +
      '"tries":3,"timeout_ms":3600000,"retry_delay_ms":10000,"unchecked":false,"red_first":false,"clean":false,' +
      '"protect":[],"outside":"warn","weakened_checks":"ask","changes":"optional","on_dependency_failed":"wait"}',
  );
});

const texts = fc.array(fc.string(), { maxLength: 2 });
const checks = fc.array(fc.record({ run: fc.string(), timeout_ms: fc.nat() }), { maxLength: 2 });
const word = fc.option(fc.string());

const definitions: fc.Arbitrary<TaskDefinition> = fc.record({
  title: fc.string(),
  prompt: fc.string(),
  depends_on: texts,
  verify: checks,
  guards: checks,
  files_owned: texts,
  wave: fc.nat(3),
  priority: fc.nat(4),
  lane: fc.constantFrom("build", "plan"),
  agent: word,
  role: word,
  skill: word,
  scope: word,
  scope_paths: texts,
  scope_deny: texts,
  labels: texts,
  estimated_minutes: fc.option(fc.nat()),
  tries: fc.nat(4),
  timeout_ms: fc.constantFrom(3_600_000, 1),
  retry_delay_ms: fc.constantFrom(10_000, 0),
  unchecked: fc.boolean(),
  red_first: fc.boolean(),
  clean: fc.boolean(),
  protect: texts,
  outside: fc.constantFrom("warn", "refuse"),
  weakened_checks: fc.constantFrom("ask", "allow"),
  changes: fc.constantFrom("optional", "required"),
  on_dependency_failed: fc.constantFrom("wait", "cascade"),
});

/** As text, since a new revision of a plan is compared so with what is stored. */
test("a definition comes back as it was, its keys in order", () => {
  fc.assert(
    fc.property(definitions, (definition) => {
      expect(JSON.stringify(decodeDefinition(encodeDefinition(definition), PLACE))).toBe(JSON.stringify(definition));
    }),
  );
  expect(Object.keys(decodeDefinition("{}", PLACE))).toEqual(Object.keys(PLAIN));
});

test.each([
  ["null", 'column body holds "null", which is no JSON of ours'],
  ["5", 'column body holds "5", which is no JSON of ours'],
  ['{"verify":', 'column body holds "{\\"verify\\":", which is no JSON of ours'],
  ['{"verify":"npm test"}', 'column body (verify) holds "npm test", which is no verify'],
  ['{"tries":"3"}', 'column body (tries) holds "3", which is no tries'],
  ['{"agent":[]}', "column body (agent) holds [], which is no agent"],
])("what is no definition (%s) never passes for one without checks", (text, message) => {
  expect(() => decodeDefinition(text, PLACE)).toThrow(message);
});
