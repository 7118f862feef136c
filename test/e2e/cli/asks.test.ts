/** What a person is told of an agent that asked something and waits for the answer. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Lab } from "./lab.ts";

interface Item {
  id: string;
  opened_at: string;
  wait: { until: string; then: string } | null;
}

const TEN_MINUTES_MS = 600_000;

/** A lab whose agent asks, and keeps the answer beside the project. */
async function asking(question: string): Promise<{ lab: Lab; ended: ReturnType<Lab["run"]>; item: Item }> {
  const script = `lockstep self ask ${question} > "$ASIDE/answer"`;
  const agent = { adapter: "command", command: ["bash", "-c", script], env: { ASIDE: "" } };
  const lab = new Lab();
  agent.env.ASIDE = lab.base;
  const config = { agents: { coder: agent }, defaults: { agent: "coder" }, workspace: { mode: "none" } };
  lab.write("lockstep.yaml", JSON.stringify(config));
  await lab.load({ plan: "p", tasks: [{ id: "A", title: "The tax", verify: "test -d ." }] });
  const ended = lab.run(["run"]);
  const asked = async () => (await lab.json<{ items: Item[] }>(["inbox"])).items;
  await expect.poll(asked, { timeout: 30_000 }).toHaveLength(1);
  return { lab, ended, item: (await asked())[0]! };
}

test("a live attempt that waits for an answer says so: what, how to answer, until when, and what comes then", async () => {
  const { lab, ended, item } = await asking("'Which tax?' net gross --default net");
  const until = item.wait!.until;
  expect(item.wait).toEqual({ until, then: "ends" });
  expect(Math.abs(Date.parse(until) - Date.parse(item.opened_at) - TEN_MINUTES_MS)).toBeLessThan(5_000);
  const text =
    "waits for your answer to i1: Which tax?; `lockstep answer i1 net | gross`; without one by then: its attempt ends, and the answer goes to the next one";
  const why = await lab.json<{ reason: object; reasons: { code: string }[] }>(["why", "A"]);
  expect(why.reason).toEqual({ code: "question", text, until, by: ["i1"] });
  expect(why.reasons.map(({ code }) => code)).toEqual(["question", "in_progress"]);
  expect((await lab.run(["why", "A"])).stdout).toContain(`  question: ${text} (until ${until})\n`);
  expect((await lab.run(["status"])).stdout).toMatch(/A {2}The tax {2}waits for your answer to i1 {2}since/);
  expect(await lab.json(["status"])).toMatchObject({ needs_you: 1, active: [{ id: "A", waits_for: "i1" }] });
  expect((await lab.run(["inbox"])).stdout).toMatch(
    new RegExp(
      `\\n {2}lockstep answer i1 net \\| gross\\n {2}its agent waits for that, until ${until}; without an answer its attempt ends, and the answer goes to the next one\\n {2}without an answer: net, \\S+Z\\n$`,
    ),
  );
  await lab.json(["answer", "i1", "gross"]);
  expect(await ended).toMatchObject({ code: 0 });
  expect(readFileSync(join(lab.base, "answer"), "utf8")).toBe("gross\n");
});

test("a question that is answered in words says how, and one that its agent does not wait for does not stand in its way", async () => {
  const { lab, ended, item } = await asking("--can-continue 'Which tax?'; sleep 600");
  expect(item.wait).toBeNull();
  const text = 'asked you, and goes on meanwhile: i1: Which tax?; `lockstep answer i1 answer -m "..."`';
  const why = await lab.json<{ reasons: object[] }>(["why", "A"]);
  expect(why.reasons).toEqual([
    {
      code: "in_progress",
      text: expect.stringMatching(/^attempt 1 is under way by coder, attended by /),
      until: null,
      by: ["#1"],
    },
    { code: "question", text, until: null, by: ["i1"] },
  ]);
  expect((await lab.run(["inbox"])).stdout).toMatch(/Which tax\?\n {2}lockstep answer i1 answer -m "\.\.\."\n$/);
  expect(await lab.json(["status"])).toMatchObject({ needs_you: 1, active: [{ waits_for: null }] });
  await lab.run(["stop"]);
  expect(await ended).toMatchObject({ code: 0 });
});
