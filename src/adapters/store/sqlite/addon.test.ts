import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { BUNDLED_VERSION } from "./addon.ts";

test("the JavaScript of the build goes with the addon that is installed along with it", () => {
  const { optionalDependencies } = JSON.parse(readFileSync("package.json", "utf8"));
  expect(optionalDependencies["better-sqlite3"]).toBe(BUNDLED_VERSION);
});
