/** An agent or a check is killed by somebody: that costs a try, and neither its work nor its task is lost. */

import { describe, expect, test } from "vitest";
import { gitIn, runLab } from "../../fixtures/lab.ts";
import { AGENT, crashLab, isSound, outcomesOf, TASKS } from "../../fixtures/lab-crash.ts";

/** Runs `script` in the first attempt of the first task alone. */
const once = (script: string): string => `test -e "$ASIDE/again" || { touch "$ASIDE/again"; ${script}; }`;

const AGENTS: Record<string, string> = {
  "at once": once("kill -9 $$"),
  "with its whole group": once("sleep 600 & kill -9 0"),
  "in the middle of its work": `echo x >> half.txt; ${once("kill -9 $$")}; ${AGENT}`,
  "after it committed its work": `${AGENT}; ${once("git add -A; git -c user.name=a -c user.email=a@b commit -qm mine; kill -9 $$")}`,
  "after its result": `${AGENT}; echo '{"type":"result","outcome":"succeeded","summary":"all done"}'; ${once("kill -9 $$")}`,
  "and what it started lives on": `${once("setsid sleep 600 & kill -9 $$")}; ${AGENT}`,
};

describe("kill -9 of an agent", () => {
  test.for(Object.keys(AGENTS))("%s: a try, and the next one ends well", async (when) => {
    const agent = AGENTS[when]!;
    const lab = await crashLab("worktree", { agent: agent.includes(AGENT) ? agent : `${agent}; ${AGENT}` });
    expect((await runLab(lab)).outcome).toBe("done");
    await isSound(lab);
    expect(await outcomesOf(lab, "A")).toEqual(["failed", "succeeded"]);
    if (when.includes("middle")) expect(gitIn(lab.root, "show", "lockstep/lab~1:half.txt")).toBe("x\nx");
  });

  test("in the middle of its work in the user's own checkout: the next one goes on with it", async () => {
    const lab = await crashLab("repository", { agent: `echo x >> half.txt; ${once("kill -9 $$")}; ${AGENT}` });
    expect((await runLab(lab)).outcome).toBe("done");
    await isSound(lab);
    expect(await outcomesOf(lab, "A")).toEqual(["failed", "succeeded"]);
    expect(gitIn(lab.root, "show", "main~1:half.txt")).toBe("x\nx");
  });
});

const CHECKS: Record<string, { verify?: string; guards?: string[] }> = {
  "that verifies": { verify: `${once("kill -9 $$")}; true` },
  "that verifies, and its group": { verify: `${once("sleep 600 & kill -9 0")}; true` },
  "that guards, before the work": { guards: [`${once("kill -9 $$")}; test -d .`] },
};

describe("kill -9 of a check", () => {
  test.for(Object.keys(CHECKS))("%s: it is red, and the plan comes to its end", async (which) => {
    const { verify, guards = [] } = CHECKS[which]!;
    const tasks = TASKS.map((task) => ({
      ...task,
      guards,
      verify: verify === undefined ? task.verify : [verify, task.verify],
    }));
    const lab = await crashLab("worktree", { tasks });
    expect((await runLab(lab)).outcome).toBe("done");
    await isSound(lab);
    expect(await outcomesOf(lab, "A")).toEqual(verify === undefined ? ["succeeded"] : ["succeeded", "succeeded"]);
  });
});
