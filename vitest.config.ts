import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts", "sim/**/*.test.ts"],
    exclude: ["test/long/**", "test/agents/**", "**/node_modules/**"],
    testTimeout: 30_000,
    pool: "forks",
    maxWorkers: 2,
  },
});
