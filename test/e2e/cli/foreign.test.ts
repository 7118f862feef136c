/** What a run says of what attempts did outside their own places, to people and to scripts. */

import { expect, test } from "vitest";
import { Lab } from "./lab.ts";

const AGENT = [
  "echo x > {slug}",
  "git update-ref -d refs/heads/lockstep/p",
  "for name in README n1 n2; do echo lost > $CHECKOUT/$name; done",
].join("; ");

const CONFIG = `
agents: {strays: {adapter: command, command: [bash, -c, ${JSON.stringify(AGENT)}], pass_env: [CHECKOUT]}}
defaults: {agent: strays, retry_delay: 1ms}
workspace: {mode: worktree}
`;

const PLAN = { plan: "p", tasks: [{ id: "a", title: "a", verify: "test -s a" }] };

test("files that changed in the user's checkout, and what was put right, are told while the run goes on and wherever the task is shown", async () => {
  const lab = new Lab({ git: true, config: CONFIG });
  await lab.load(PLAN, "../plan.json");
  const run = await lab.run(["run"], { env: { CHECKOUT: lab.dir } });
  expect(run.code).toBe(0);
  const changed =
    "3 files changed in your checkout while a#1 worked: README, n1, n2; as they were found: refs/lockstep/saved-checkout/1";
  const mended = /while a#1 worked: the branch lockstep\/p was deleted: it is at [0-9a-f]{12} again/;
  expect(run.stderr).toContain(`foreign   ${changed}\n`);
  expect(run.stderr).toMatch(new RegExp(`^mended    ${mended.source}$`, "m"));
  // Once more at the end, where somebody reads it in the morning.
  expect(run.stdout).toMatch(new RegExp(`^repository  ${mended.source}$`, "m"));
  const shown = (await lab.run(["task", "show", "a"])).stdout;
  expect(shown).toContain(`  ${changed}\n`);
  expect(shown).toMatch(mended);
  const told = (await lab.run(["events"])).stdout;
  expect(told).toContain(`checkout.changed  a#1  ${changed}\n`);
  expect(told).toMatch(new RegExp(`repository\\.mended  a#1  ${mended.source}`));
  expect(await lab.json(["task", "show", "a"])).toMatchObject({
    attempts: [
      {
        checkout: {
          paths: ["README", "n1", "n2"],
          total: 3,
          saved: "refs/lockstep/saved-checkout/1",
          unseen: null,
          beside: [],
        },
        repository: { total: 1, beside: [] },
      },
    ],
  });
});
