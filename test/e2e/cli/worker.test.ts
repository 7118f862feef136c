/** External workers over the command line: any program that can call `next`, `claim` and `task done`. */

import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Claim, Refusal } from "./lab.ts";
import { Lab } from "./lab.ts";

const TWO = {
  plan: "shop",
  tasks: [
    { id: "F-1", title: "Cart", prompt: "Write cart.", verify: "test -s cart", retry_delay: "1ms" },
    {
      id: "F-2",
      title: "Page",
      prompt: "Write page.",
      verify: "test -s page",
      depends_on: ["F-1"],
      retry_delay: "1ms",
    },
  ],
};

test("a worker is given one task, claims it, works, and its checks make it verified and landed", async () => {
  const lab = new Lab({ git: true, config: "workspace: {mode: in_place}\n" });
  await lab.load(TWO, "../plan.json");
  expect(await lab.json(["next"])).toEqual({
    id: "F-1",
    title: "Cart",
    prompt: "Write cart.",
    verify: ["test -s cart"],
    files_owned: [],
    phase: "build",
  });
  const claim = await lab.json<Claim>(["claim", "--as", "anna"]);
  expect(claim).toMatchObject({ task: "F-1", attempt: 1, workspace: lab.dir });
  expect(await lab.json(["next"])).toBeNull();
  lab.write("cart", "totals\n");
  const before = lab.git("rev-parse", "main");
  expect(await lab.json(["task", "done", "F-1", "--token", String(claim.token)])).toMatchObject({
    task: "F-1",
    state: "verified",
    verified: true,
  });
  const shown = await lab.json<{ landing: unknown; checks: unknown[] }>(["task", "show", "F-1"]);
  const sha = lab.git("rev-parse", "main");
  expect(sha).not.toBe(before);
  expect(shown.landing).toEqual({ target: "refs/heads/main", sha });
  expect(shown.checks).toMatchObject([
    {
      command: "test -s cart",
      kind: "verify",
      outcome: "green",
      exit_code: 0,
      tree: lab.git("rev-parse", "main^{tree}"),
    },
  ]);
  expect((await lab.json<{ id: string }>(["next"])).id).toBe("F-2");
});

test("red checks give the task back with their output, and the next claim may do better", async () => {
  const lab = new Lab();
  await lab.load({
    plan: "p",
    tasks: [{ id: "a", title: "A", verify: "echo the cart is empty; test -s cart", retry_delay: "1ms" }],
  });
  const first = await lab.json<Claim>(["claim"]);
  const red = await lab.run(["task", "done", "a", "--token", String(first.token)]);
  expect(red.code).toBe(1);
  expect(red.stdout).toContain("a  · pending, 1 of 3 tries used");
  expect(red.stdout).toContain("  the cart is empty");
  const log = /the whole output: (.+)/.exec(red.stderr)?.[1] ?? "";
  expect(readFileSync(log, "utf8")).toBe("the cart is empty\n");
  const second = await lab.json<Claim>(["claim"]);
  expect(second).toMatchObject({ task: "a", attempt: 2 });
  lab.write("cart", "x");
  const green = await lab.run(["task", "done", "a", "--token", String(second.token)]);
  expect(green).toMatchObject({ code: 0, stdout: "a  ✓ verified\n" });
});

test("a task whose tries are gone has failed, until an operator retries it", async () => {
  const lab = new Lab();
  await lab.load({ plan: "p", tasks: [{ id: "a", title: "A", verify: "test -s cart", tries: 1 }] });
  const claim = await lab.json<Claim>(["claim"]);
  const failed = await lab.json(["task", "fail", "a", "--token", String(claim.token), "--error", "no idea"]);
  expect(failed).toMatchObject({ task: "a", state: "failed" });
  expect((await lab.json<{ attempts: unknown[] }>(["task", "show", "a"])).attempts).toMatchObject([
    { n: 1, outcome: "failed", error: "no idea" },
  ]);
  expect(await lab.json(["task", "retry", "a"])).toEqual({ task: "a", state: "pending", stopping: false });
  expect(await lab.json(["claim"])).toMatchObject({ task: "a", attempt: 2 });
});

test("a claim that is not renewed runs out: the next claim takes the task, and the old token is refused", async () => {
  const lab = new Lab();
  await lab.load(TWO);
  const slow = await lab.json<Claim>(["claim", "--ttl", "1ms"]);
  expect((await lab.json<{ id: string }>(["next"])).id).toBe("F-1");
  const quick = await lab.json<Claim>(["claim", "--ttl", "1h"]);
  expect(quick).toMatchObject({ task: "F-1", attempt: 2 });
  const late = await lab.json<Refusal>(["task", "done", "F-1", "--token", String(slow.token)], 1);
  expect(late.error).toMatchObject({ code: "stale_token" });
  const renewed = await lab.json<Claim>(["task", "renew", "F-1", "--token", String(quick.token), "--ttl", "2h"]);
  expect(Date.parse(renewed.expires_at)).toBeGreaterThan(Date.parse(quick.expires_at));
  expect((await lab.json<Refusal>(["task", "renew", "F-1", "--token", String(slow.token)], 1)).error.code).toBe(
    "stale_token",
  );
});

test("a `task done` that is stopped leaves its task to the next one", async () => {
  const lab = new Lab();
  await lab.load({ plan: "p", tasks: [{ id: "b", title: "B", verify: "until test -f go; do sleep 0.02; done" }] });
  const claim = await lab.json<Claim>(["claim"]);
  const done = lab.start(["task", "done", "b", "--token", String(claim.token)]);
  const log = lab.start(["events", "-f", "--json"]);
  let heard = "";
  while (!heard.includes("landing.begun")) heard += String((await once(log.stdout, "data"))[0]);
  log.kill();
  const ended = once(done, "close");
  done.kill("SIGINT");
  expect((await ended)[0]).toBe(130);
  expect(await lab.json(["status"])).toMatchObject({ counts: { claimed_done: 1 } });
  lab.write("go", "");
  expect(await lab.json(["task", "done", "b", "--token", String(claim.token)])).toMatchObject({ state: "verified" });
});

test("an operator's word instead of checks is marked for ever, and needs a reason", async () => {
  const lab = new Lab();
  await lab.load(TWO);
  expect((await lab.json<Refusal>(["task", "done", "F-1", "--unverified"], 2)).error.message).toBe(
    "--reason is missing: it stands beside the task for ever",
  );
  const done = await lab.run(["task", "done", "F-1", "--unverified", "--reason", "seen by hand"]);
  expect(done).toMatchObject({ code: 0, stdout: "F-1  ✓ verified (unverified: an operator's word, no checks)\n" });
  expect((await lab.json<{ id: string }>(["next"])).id).toBe("F-2");
  expect((await lab.json<Refusal>(["task", "retry", "F-1"], 1)).error.code).toBe("illegal_move");
});

test("workers that bring their own place work many at once", async () => {
  const lab = new Lab({ config: "workspace: {mode: none}\n" });
  const ids = ["a", "b", "c", "d"];
  await lab.load({ plan: "p", tasks: ids.map((id) => ({ id, title: id, verify: `test -f ${id}` })) });
  const claims = await Promise.all(ids.map(() => lab.json<Claim>(["claim"])));
  expect(claims.map(({ task }) => task).sort()).toEqual(ids);
  for (const id of ids) lab.write(id, "");
  const done = await Promise.all(
    claims.map(({ task, token }) => lab.json(["task", "done", task, "--token", String(token)])),
  );
  expect(done.every(({ verified }) => verified === true)).toBe(true);
  expect(await lab.json(["status"])).toMatchObject({ completion_pct: 100, counts: { verified: 4 } });
});

test("what cannot land without a person is blocked, told in the inbox, and goes on as answered", async () => {
  const lab = new Lab({ git: true, config: "workspace: {mode: in_place}\n" });
  await lab.load(
    { plan: "p", tasks: [{ id: "a", title: "A", verify: "test -f x", protect: ["README"] }] },
    "../plan.json",
  );
  const claim = await lab.json<Claim>(["claim"]);
  lab.write("README", "changed\n");
  lab.write("x", "");
  const blocked = await lab.run(["task", "done", "a", "--token", String(claim.token)]);
  expect(blocked.code).toBe(3);
  const { items } = await lab.json<{ items: { id: string; task: string; options: string[] }[] }>(["inbox"]);
  expect(items).toMatchObject([{ task: "a" }]);
  expect(await lab.json(["status"])).toMatchObject({ needs_you: 1, counts: { blocked: 1 } });
  const item = items[0]!;
  expect((await lab.json<Refusal>(["answer", item.id, "perhaps"], 1)).error.code).toBe("unknown_option");
  expect(await lab.json(["answer", item.id, "fail", "-m", "no"])).toEqual({
    item: item.id,
    option: "fail",
    task: "a",
    state: "failed",
    tasks: ["a"],
  });
});

test("skipping may satisfy those that depend on it, and cancelling ends what waits", async () => {
  const lab = new Lab();
  await lab.load(TWO);
  expect((await lab.run(["task", "skip", "F-1", "--satisfies", "--reason", "done elsewhere"])).stdout).toBe(
    "F-1  - skipped (counts as verified)\n",
  );
  expect(await lab.json(["status"])).toMatchObject({ completion_pct: 50 });
  expect((await lab.json<{ id: string }>(["next"])).id).toBe("F-2");
  expect(await lab.json(["task", "cancel", "F-2"])).toMatchObject({ state: "cancelled" });
  expect(existsSync(join(lab.dir, "page"))).toBe(false);
});
