/** Tasks that do not start are told in groups, by what holds them. */

import { expect, test } from "vitest";
import { waitingGroups, waitingText } from "../../../src/cli/run/waiting.ts";
import { makeLab } from "../../fixtures/lab.ts";

const agent = { adapter: "command", command: ["true"] };

test("each thing that is held is a group of its own", async () => {
  const { context, plan, project } = await makeLab({
    kind: "none",
    tasks: ["first", "second", "second"].map((name, n) => ({
      ...{ id: `T${n}`, title: `T${n}` },
      ...{ agent: name, verify: "test -d ." },
    })),
    defaults: { agent: "first" },
    config: { agents: { first: { ...agent, account: "one" }, second: { ...agent, account: "two" } } },
  });
  for (const [key, why] of Object.entries({ "account:one": "no money", "account:two": "no log-in" }))
    await context.store.submit({ type: "hold.set", project: project.id, key, until: null, why }, { actor: "test" });
  expect((await waitingGroups(context, plan.id, null)).map(waitingText)).toEqual([
    "2 model_held: account two (of agent second) is held: no log-in (T1, T2)",
    "1 model_held: account one (of agent first) is held: no money (T0)",
  ]);
});
