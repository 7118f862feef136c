/** `npm run demo` keeps what it says, on a machine where nothing is set up and nobody watches. */

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { bearersOf, endBearers } from "../../fixtures/left-processes.ts";

const DEMO = fileURLToPath(new URL("../../../examples/demo/demo.mjs", import.meta.url));

/** The lines that the demo is sure of: each that it doubts begins with ✗. */
const claims = (stdout: string): string[] =>
  stdout.split("\n").filter((line) => /^[✓✗] (?!verified|proved)/.test(line));

test("the demo shows several agents at once, what landed and its proof, and leaves nothing behind", {
  timeout: 180_000,
}, () => {
  const aside = realpathSync(mkdtempSync(join(tmpdir(), "lockstep a demo ")));
  onTestFinished(() => {
    endBearers(`TMPDIR=${aside}/tmp`);
    rmSync(aside, { recursive: true, force: true, maxRetries: 5 });
  });
  for (const name of ["home", "tmp"]) mkdirSync(join(aside, name));
  const env = { PATH: process.env["PATH"], HOME: join(aside, "home"), TMPDIR: join(aside, "tmp"), TERM: "dumb" };
  const demo = spawnSync(process.execPath, [DEMO], { cwd: aside, env, encoding: "utf8", input: "" });

  expect(claims(demo.stdout)).toEqual([
    "✓ the plan is loaded",
    "✓ `lockstep run` ended with 0",
    expect.stringMatching(/^✓ [34] agents were at work at once$/),
    "✓ T-1 said that all tests pass; its check was red, and the next try mended what the check had said",
    "✓ E-1 asked which currency, waited, and went on with the answer",
    "✓ D-1 and T-1 changed src/rates.js at the same time, and git merged them",
    "✓ 10 attempts took 44,800 tokens and gave 3,140, for $0.19 (the script's figures: no model was asked)",
    "✓ the suite in a fresh clone of lockstep/till: 10 passed, 0 failed",
    "✓ your checkout is on main, as it was: its branch and its files are untouched",
    "✓ git and the store prove it",
  ]);
  expect(demo.status).toBe(0);
  expect(demo.stderr).toMatch(/^red {7}T-1#1 .*✗ is 19 percent, rounded half up: 9 !== 10$/m);
  expect(demo.stderr).toMatch(/^ {10}the demo answers: lockstep answer i1 EUR$/m);
  expect(demo.stdout + demo.stderr).not.toMatch(/rror/);
  expect(demo.stdout + demo.stderr).not.toContain("\u001b");
  expect(readdirSync(join(aside, "home"))).toEqual([]);
  expect(readdirSync(join(aside, "tmp"))).toEqual([]);
  expect(bearersOf(`TMPDIR=${env.TMPDIR}`)).toEqual([]);
});
