import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { CommandInput, CommandRequest } from "../../ports/processes.ts";
import { localProcesses } from "./local-processes.ts";

const dir = mkdtempSync(join(tmpdir(), "lockstep-talk-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const processes = localProcesses({ graceMs: 100 });
let files = 0;

/** A program that is talked with: its standard input, once it is let go, and the file of its output. */
async function talk(argv: string[], more: Partial<CommandRequest> = {}) {
  files += 1;
  const logFile = join(dir, `${files}.log`);
  let input: CommandInput | undefined;
  const stdin = (given: CommandInput) => {
    input = given;
  };
  const env = { PATH: process.env["PATH"]!, HOME: dir };
  const held = await processes.holdCommand({ argv, cwd: dir, timeoutMs: 20_000, env, logFile, stdin, ...more });
  const said = () => readFileSync(logFile, "utf8");
  return { held, said, input: () => input };
}

test.each([false, true])(
  "a conversation's half is written while the program runs, and ends when its writer says so: %j",
  async (contain) => {
    const { held, said, input } = await talk(["cat"], { contain });
    expect(input()).toBeUndefined();
    const end = held.release();
    input()!.write("one\n");
    await expect.poll(said).toBe("one\n");
    input()!.write("two ");
    input()!.write("🙂\n");
    await expect.poll(said).toBe("one\ntwo 🙂\n");
    input()!.end();
    input()!.write("three\n");
    input()!.end();
    expect(await end).toMatchObject({ outcome: "green", tail: "one\ntwo 🙂\n" });
  },
);

test("what is written to a program that has ended is lost, and no error", async () => {
  const { held, input } = await talk(["true"]);
  expect(await held.release()).toMatchObject({ outcome: "green" });
  for (let index = 0; index < 3; index += 1) input()!.write("x".repeat(100_000));
  input()!.end();
});

test("a word after the end takes nothing from what was said before", async () => {
  const { held, input } = await talk(["wc", "-c"]);
  const end = held.release();
  input()!.write("x".repeat(4_000_000));
  input()!.end();
  input()!.write("y");
  input()!.end();
  expect(await end).toMatchObject({ outcome: "green", tail: expect.stringMatching(/^\s*4000000\s*$/) });
});

test("one that is ended unrun is never talked with", async () => {
  const { held, input } = await talk(["cat"]);
  await held.abandon();
  expect(input()).toBeUndefined();
});

test("a program that does not read gets no more when 64 MiB wait for it", async () => {
  const { held, input } = await talk(["bash", "-c", "until [ -e go ]; do sleep 0.01; done; wc -c"]);
  const end = held.release();
  input()!.write("x".repeat(65 * 1024 * 1024));
  input()!.write("y");
  writeFileSync(join(dir, "go"), "");
  const { outcome, tail } = await end;
  expect(outcome).toBe("green");
  expect(Number(tail)).toBeLessThan(65 * 1024 * 1024);
});
