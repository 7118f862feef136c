/** What `gc` frees, as people and scripts read it. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Refusal } from "./lab.ts";
import { Lab } from "./lab.ts";

const CONFIG = `
agents:
  good: {adapter: command, command: [bash, -c, "echo {task_id} > {slug}"]}
defaults: {agent: good, retry_delay: 1ms}
workspace: {mode: worktree}
`;

const PLAN = { plan: "p", tasks: [{ id: "a", title: "a", verify: "test -s a", files_owned: ["a"] }] };

/** Sizes and names of hashes differ from one machine to the next. */
function plain(text: string): string {
  return text.replace(/\d+(\.\d)? (bytes|[KMG]B)/g, "<size>").replace(/landing-[0-9a-f]+/g, "landing-<hash>");
}

test("gc says what it would free, then frees it, and what is verified is proved still", async () => {
  const lab = new Lab({ git: true, config: CONFIG });
  await lab.load(PLAN, "../plan.json");
  expect((await lab.run(["run"])).code).toBe(0);
  const dry = await lab.run(["gc", "--dry-run"]);
  expect(dry).toMatchObject({ code: 0, stderr: "" });
  expect(plain(dry.stdout)).toBe(
    [
      "would free  worktree  1  <size>",
      "would free  worktree  landing-<hash>  <size>",
      "would free  branch  lockstep-work/p/a  <size>",
      "would free 3 in all, <size>",
      "on disk: <size> (2 worktrees <size>, 1 output of an attempt <size>, 1 output of a check <size>)",
      "",
    ].join("\n"),
  );
  expect(lab.git("branch", "--list", "lockstep-work/*")).toContain("lockstep-work/p/a");
  const freed = await lab.json<{ freed: { kind: string; name: string }[] }>(["gc"]);
  expect(freed).toMatchObject({ dry_run: false, kept: [], bytes: expect.any(Number) });
  expect(freed).toMatchObject({
    in_use: [
      { kind: "worktree", count: 0, bytes: 0 },
      { kind: "saved", count: 0, bytes: 0 },
      { kind: "attempts", count: 1, bytes: expect.any(Number) },
      { kind: "checks", count: 1, bytes: expect.any(Number) },
      { kind: "homes", count: 0, bytes: 0 },
      { kind: "temporary", count: 0, bytes: 0 },
    ],
  });
  expect(freed.freed.map(({ kind }) => kind)).toEqual(["worktree", "worktree", "branch"]);
  expect(lab.git("branch", "--list", "lockstep-work/*")).toBe("");
  expect(await lab.json(["prove"])).toMatchObject({ ok: true });
  const { code, stdout } = await lab.run(["gc"]);
  expect([code, plain(stdout)]).toEqual([
    0,
    "nothing to free\non disk: <size> (1 output of an attempt <size>, 1 output of a check <size>)\n",
  ]);
});

test("the output of attempts is freed by its age, and then said to be gone", async () => {
  const lab = new Lab({ config: CONFIG.replace("worktree", "in_place") });
  await lab.load(PLAN);
  expect((await lab.run(["run"])).code).toBe(0);
  expect((await lab.run(["logs", "a"])).code).toBe(0);
  expect((await lab.run(["gc", "--older-than", "1d"])).stdout).toMatch(/^nothing to free\non disk: /);
  const { error } = await lab.json<Refusal>(["gc", "--older-than", "old"], 2);
  expect(error.message).toBe('--older-than cannot be "old"');
  expect(plain((await lab.run(["gc", "--older-than", "1ms"])).stdout)).toBe(
    "freed  attempts  1 of p  <size>\nfreed 1 in all, <size>\non disk: <size> (1 output of a check <size>)\n",
  );
  expect((await lab.json<Refusal>(["logs", "a"], 1)).error.message).toBe(
    "no output of attempt 1 of a is kept on this machine",
  );
  expect(await lab.json(["prove"])).toMatchObject({ ok: true });
});

test("a dry run makes nothing, also where there is no plan yet", async () => {
  const lab = new Lab({ config: CONFIG });
  expect((await lab.json<Refusal>(["gc", "--dry-run"], 2)).error.code).toBe("no_plan");
  expect(existsSync(join(lab.base, "state"))).toBe(false);
});
