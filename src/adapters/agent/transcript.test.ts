/** No adapter writes a secret into the transcript, and none has a way there of its own. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Attempt } from "../../../test/fixtures/agent-attempt.ts";
import { openCode } from "../../../test/fixtures/opencode-events.ts";
import { played, runOpenCode } from "../../../test/fixtures/opencode-server.ts";
import { Redaction } from "./redaction.ts";
import { scriptedAgent } from "./scripted-agent.ts";
import { Transcript } from "./transcript.ts";

const VALUE = "hush-hush-0123";
const KEY = `sk-${"ant"}-api03-abcdefghijklmnopqrstuvwxyz`;
const SAID = `It is ${VALUE}, and ${KEY}.`;
const HIDDEN = "It is [redacted], and [redacted].";

const redaction = () => new Redaction([VALUE]);

test("what OpenCode's server tells is written without secrets", async () => {
  const attempt = new Attempt();
  const { text, step, idle, tool } = openCode;
  const events = [
    tool("call_1", "bash", { status: "completed", input: { command: `echo ${SAID}` } }),
    text(SAID),
    step("stop"),
    idle(),
  ];
  const end = await runOpenCode(played(...events), { attempt, redaction: redaction() });
  expect(end).toMatchObject({ outcome: "succeeded", summary: SAID });
  expect(attempt.log).toContain(JSON.stringify(`echo ${HIDDEN}`));
  expect(attempt.log).toContain(JSON.stringify(HIDDEN));
  expect(attempt.log).not.toMatch(/hush|abcdef/);
});

test("an event of OpenCode's server that comes in pieces is written without secrets", async () => {
  const attempt = new Attempt();
  const { text, step, idle } = openCode;
  const event = `data: ${JSON.stringify(text(SAID))}\n\n`;
  // Each piece ends within a secret.
  const at = [event.indexOf(VALUE) + 6, event.indexOf(KEY) + 9];
  const pieces = [event.slice(0, at[0]), event.slice(at[0], at[1]), event.slice(at[1])];
  const last = [step("stop"), idle()].map((each) => JSON.stringify(each)).join(",");
  const source = `play = async () => { for (const piece of ${JSON.stringify(pieces)}) {
    for (const to of streams) to.write(piece);
    await new Promise((go) => setTimeout(go, 30));
  } out(${last}); };`;
  const end = await runOpenCode(source, { attempt, redaction: redaction() });
  expect(end).toMatchObject({ outcome: "succeeded", summary: SAID });
  expect(attempt.log).toContain(JSON.stringify(HIDDEN));
  expect(attempt.log).not.toMatch(/hush|abcdef/);
});

test("what a script says and its commands print is written without secrets", async () => {
  const attempt = new Attempt();
  const steps = [{ say: SAID }, { run: `printf '%s\\n' "${SAID}" "$HUSH"` }];
  const script = attempt.write("script.json", JSON.stringify({ A: steps }));
  const wish = { env: { HUSH: VALUE }, redaction: redaction() };
  expect(await attempt.run(scriptedAgent(script, attempt.processes), wish)).toMatchObject({ outcome: "succeeded" });
  expect(attempt.log.split("\n")).toEqual([
    HIDDEN,
    `[run printf '%s\\n' "${HIDDEN}" "$HUSH"]`,
    HIDDEN,
    "[redacted]",
    "",
  ]);
  expect(readdirSync(attempt.base).filter((name) => name.startsWith("agent.log"))).toEqual(["agent.log"]);
});

test("a secret that is written in two parts is taken out, and what was held back is written at the end", () => {
  const attempt = new Attempt();
  const transcript = new Transcript({ logFile: attempt.logFile, redaction: redaction() });
  for (const part of ["It is hush", "-hush-0123, and ", KEY.slice(0, 12), KEY.slice(12), "."]) transcript.write(part);
  transcript.end();
  expect(attempt.log).toBe(HIDDEN);
});

test("only the transcript itself knows where it lies", () => {
  const files = readdirSync(import.meta.dirname).filter((name) => !name.endsWith(".test.ts"));
  const knowing = files.filter((name) =>
    readFileSync(join(import.meta.dirname, name), "utf8").match(/\blogFile\b(?!: )/),
  );
  expect(knowing).toEqual(["run-program.ts", "transcript.ts"]);
});
