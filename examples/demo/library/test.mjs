// `node test.mjs` runs every test, `node test.mjs tax` those of one file. What failed is said last, where people look.
import { readdirSync } from "node:fs";
import { resolve } from "node:path";
import { run } from "node:test";

const names = process.argv.length > 2 ? process.argv.slice(2).map((name) => `${name}.test.js`) : readdirSync("test");
const failed = [];
let passed = 0;
const tests = run({ files: names.map((name) => resolve("test", name)) });
tests.on("test:pass", () => {
  passed += 1;
});
tests.on("test:fail", ({ name, details }) => {
  const { cause } = details.error;
  failed.push(`${name}: ${(cause?.message ?? details.error.message).trim().split("\n").at(-1)}`);
});
tests.on("end", () => {
  console.log([`${passed} passed, ${failed.length} failed`, ...failed.map((line) => `✗ ${line}`)].join("\n"));
  process.exitCode = failed.length === 0 ? 0 : 1;
});
tests.resume();
