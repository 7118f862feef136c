import { defineConfig } from "vitest/config";

/** The real command lines of agents, on a model of our own: `npm run test:agents` installs them and runs these. */
export default defineConfig({
  test: {
    include: ["test/agents/**/*.test.ts"],
    testTimeout: 120_000,
    pool: "forks",
    maxWorkers: 2,
  },
});
