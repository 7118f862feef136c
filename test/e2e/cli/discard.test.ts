/** Work that nobody wants is thrown away: kept at a ref, and the task begins again without it. */

import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Claim, Lab, type Refusal } from "./lab.ts";

const TASK = { id: "a", title: "a", verify: "test -s a" };
const PLAN = { plan: "p", tasks: [TASK, { id: "b", title: "b", verify: "test -s b" }] };
const REF = "refs/lockstep/saved/p/a/1";

/** The agent writes what it was to write once it may; until then it has written rubbish. */
const agentOf = (lab: Lab): string => `
agents:
  slow: {adapter: command, command: [bash, -c, "cp a ${lab.base}/found-$LOCKSTEP_ATTEMPT 2>/dev/null; echo rubbish > a; touch ${lab.base}/at-{slug}; until test -f ${lab.base}/go; do sleep 0.02; done"]}
defaults: {agent: slow}
`;

async function working(): Promise<{ lab: Lab; run: ReturnType<Lab["start"]> }> {
  const lab = new Lab({ git: true });
  lab.write("lockstep.yaml", agentOf(lab));
  await lab.load({ plan: "p", tasks: [TASK] });
  const run = lab.start(["run", "p"]);
  onTestFinished(() => void run.kill("SIGKILL"));
  await expect.poll(() => existsSync(join(lab.base, "at-a")), { timeout: 20_000 }).toBe(true);
  return { lab, run };
}

describe("the work of a live agent", () => {
  test("is kept once the agent has ended, and the next one begins without it, no try spent", async () => {
    const { lab, run } = await working();
    const ended = once(run, "close");
    const { code, stdout } = await lab.run(["discard", "a", "--reason", "rubbish"]);
    expect(code).toBe(0);
    expect(stdout).toContain(`its work is kept: ${REF}\nto have it back: git branch a-discarded ${REF}\n`);
    expect(lab.git("show", `${REF}:a`)).toBe("rubbish");
    writeFileSync(join(lab.base, "go"), "");
    expect((await ended)[0]).toBe(0);
    expect(existsSync(join(lab.base, "found-2"))).toBe(false);
    expect(await lab.json(["task", "show", "a"])).toMatchObject({
      state: "verified",
      attempts: [{ outcome: "cancelled", error: "rubbish" }, { outcome: "succeeded" }],
    });
  });

  test("is kept though its engine was killed", async () => {
    const { lab, run } = await working();
    const ended = once(run, "close");
    run.kill("SIGKILL");
    await ended;
    expect(await lab.json(["discard", "a"])).toEqual({ task: "a", state: "pending", stopping: false, saved: REF });
  });
});

describe("the work of a worker outside lockstep", () => {
  test("is kept at once, its token is stale, and its task starts from the target", async () => {
    const lab = new Lab({ git: true });
    await lab.load(PLAN);
    const { token, workspace } = await lab.json<Claim>(["claim", "a"]);
    writeFileSync(join(workspace, "a"), "rubbish");
    expect(await lab.json(["discard", "a"])).toEqual({ task: "a", state: "pending", stopping: false, saved: REF });
    expect((await lab.json<Refusal>(["task", "done", "a", "--token", String(token)], 1)).error.code).toBe(
      "stale_token",
    );
    const next = await lab.json<Claim>(["claim", "a"]);
    expect(existsSync(join(next.workspace, "a"))).toBe(false);
    lab.git("branch", "a-discarded", REF);
    expect(lab.git("show", "a-discarded:a")).toBe("rubbish");
  });

  test("is kept of what waits for its next try, and nothing is kept where there is nothing", async () => {
    const lab = new Lab({ git: true });
    await lab.load(PLAN);
    const { token, workspace } = await lab.json<Claim>(["claim", "a"]);
    writeFileSync(join(workspace, "a"), "rubbish");
    await lab.run(["task", "fail", "a", "--token", String(token), "--error", "too hard"]);
    expect((await lab.json(["discard", "a"]))["saved"]).toBe(REF);
    expect((await lab.json<Refusal>(["discard", "a"], 1)).error.code).toBe("nothing_to_discard");
  });

  test("in place: the checkout is put back, but not from under another task", async () => {
    const lab = new Lab({ git: true, config: "workspace: {mode: in_place}\n" });
    await lab.load({ ...PLAN, tasks: [{ ...TASK, guards: ["test -f never"] }, PLAN.tasks[1]] });
    lab.commit("plan");
    const { token } = await lab.json<Claim>(["claim", "a"]);
    lab.write("a", "rubbish");
    // A guard that is red whoever works: a person is asked, and the checkout is free for others.
    expect((await lab.run(["task", "done", "a", "--token", String(token)])).code).toBe(3);
    await lab.run(["claim", "b"]);
    lab.write("b", "b's own");
    expect((await lab.json<Refusal>(["discard", "a"], 1)).error).toEqual({
      code: "shared_tree",
      message: "the work of a is in the checkout where p/b is at work now",
      hint: "Wait until that has ended, then discard.",
    });
    expect(await lab.json(["discard", "b"])).toMatchObject({ saved: "refs/lockstep/saved/p/b/1" });
    expect(existsSync(join(lab.dir, "b"))).toBe(false);
  });

  test("in a plain directory is not lockstep's to take away", async () => {
    const lab = new Lab();
    await lab.load(PLAN);
    await lab.run(["claim", "a"]);
    lab.write("a", "rubbish");
    expect(await lab.json<Refusal>(["discard", "a"], 1)).toEqual({
      error: {
        code: "shared_tree",
        message: "the work of a is in a plain directory, which cannot be reset to what was before",
        hint: "Put back by hand what is not wanted, then `lockstep requeue TASK`.",
      },
    });
    expect(existsSync(join(lab.dir, "a"))).toBe(true);
  });
});
