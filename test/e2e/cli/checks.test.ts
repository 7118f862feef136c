/** What people and scripts are told of checks: of what each was a check, and which guards are flaky. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Lab } from "./lab.ts";

/** Red in the runs of these numbers, the first of which is before the work. */
const redIn = (aside: string, ...runs: number[]): string =>
  `n=$(cat ${aside}/n || echo 0); echo $((n + 1)) > ${aside}/n; [[ ! " ${runs.join(" ")} " =~ " $n " ]]`;

function labOf(agent: string, more: object = {}): Lab {
  const config = {
    agents: { a: { adapter: "command", command: ["bash", "-c", agent] } },
    defaults: { agent: "a" },
    ...more,
  };
  return new Lab({ git: true, config: JSON.stringify(config) });
}

const on = (place: string, rerun = false, flaky = false) => ({ on: place, rerun, flaky });

test("each check says whether it ran before the work, on it, or again; a guard that was both red and green is flaky", async () => {
  const lab = labOf("echo done > out.txt");
  const guard = redIn(lab.base, 1);
  const tasks = [{ id: "A", title: "A", verify: "test -f out.txt", guards: [guard] }];
  await lab.load({ plan: "p", tasks }, "../plan.json");
  const run = await lab.run(["run"]);
  expect(run.code).toBe(0);
  expect(run.stderr).toMatch(/red {7}A#1 {2}guard `.*` red, exit 1, \d+\.\d s, on the candidate(, flaky)?\n/);
  const { checks } = await lab.json<{ checks: object[] }>(["task", "show", "A"]);
  expect(checks).toMatchObject([
    { kind: "guard", outcome: "green", ...on("base", false, true) },
    { kind: "verify", outcome: "green", ...on("candidate") },
    { kind: "guard", outcome: "red", ...on("candidate", false, true) },
    { kind: "guard", outcome: "green", ...on("candidate", true, true) },
  ]);
  const shown = (await lab.run(["task", "show", "A"])).stdout.replaceAll(guard, "GUARD").replace(/\d+\.\d s/g, "T");
  expect(shown).toContain(
    [
      "  guard  GUARD: green, exit 0, T, on the base, flaky",
      "  verify  test -f out.txt: green, exit 0, T, on the candidate",
      "  guard  GUARD: red, exit 1, T, on the candidate, flaky",
      "  guard  GUARD: green, exit 0, T, on the candidate again, flaky\n",
    ].join("\n"),
  );
  const told = (await lab.run(["events"])).stdout.match(/(?<=check\.recorded.*, )on the .*/g);
  expect(told).toEqual([
    "on the base, flaky",
    "on the candidate",
    "on the candidate, flaky",
    "on the candidate again, flaky",
  ]);
});

test("a guard that is red before the work is said to be red on the base, also where the work changes nothing", async () => {
  const lab = labOf("true");
  const tasks = [{ id: "A", title: "A", verify: "test -d .", guards: ["exit 4"] }];
  await lab.load({ plan: "p", tasks }, "../plan.json");
  const run = await lab.run(["run"]);
  expect(run.code).toBe(3);
  expect(run.stderr).toMatch(/red {7}A#1 {2}guard `exit 4` red, exit 4, \d+\.\d s, on the base\n/);
  expect(await lab.json(["task", "show", "A"])).toMatchObject({
    checks: [
      { kind: "guard", outcome: "red", ...on("base") },
      { kind: "verify", outcome: "green", ...on("candidate") },
      { kind: "guard", outcome: "red", ...on("candidate") },
    ],
  });
});

test("what was red before a worker outside lockstep began is no word on what it has done", async () => {
  const lab = labOf("true", { protect: ["check.sh"] });
  lab.write("check.sh", "true\n");
  lab.commit("a check");
  const tasks = [{ id: "A", title: "A", verify: "bash check.sh", guards: ["exit 4"] }];
  await lab.load({ plan: "p", tasks }, "../plan.json");
  const { token, workspace } = await lab.json<{ token: number; workspace: string }>(["claim", "A"]);
  writeFileSync(join(workspace, "check.sh"), "true # mine\n");
  const done = await lab.json(["task", "done", "A", "--token", String(token)], 3);
  expect(done).toMatchObject({ state: "blocked", check: null });
  expect((await lab.json<{ checks: object[] }>(["task", "show", "A"])).checks).toMatchObject([on("base")]);
});
