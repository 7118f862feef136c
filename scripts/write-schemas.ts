/** Writes the JSON Schemas that editors use from the zod schemas; with `--check` only says whether they are up to date. */

import { readFileSync, writeFileSync } from "node:fs";
import { z } from "zod";
import { configSchema } from "../src/config/config-schema.ts";
import { planSchema } from "../src/plan-file/plan-schema.ts";

const SCHEMAS = {
  "plan.schema.json": { schema: planSchema, title: "A lockstep plan" },
  "config.schema.json": { schema: configSchema, title: "The configuration of lockstep (lockstep.yaml)" },
};

const isCheck = process.argv.includes("--check");
const outdated: string[] = [];

for (const [name, { schema, title }] of Object.entries(SCHEMAS)) {
  const file = new URL(`../schema/${name}`, import.meta.url);
  const { $schema, ...rest } = z.toJSONSchema(schema, { io: "input", unrepresentable: "throw" });
  const text = `${JSON.stringify({ $schema, title, ...rest }, null, 2)}\n`;
  if (!isCheck) writeFileSync(file, text);
  else if (textOf(file) !== text) outdated.push(`schema/${name}`);
}

if (outdated.length > 0) {
  process.stderr.write(`Out of date: ${outdated.join(", ")}. Run \`npm run schema\`.\n`);
  process.exitCode = 1;
}

function textOf(file: URL): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    // A schema that was never written is out of date like any other.
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}
