import { defineConfig } from "tsdown";

/** What pulls in a schema, a YAML reader or a completion library stays in chunks of its own, loaded when it is asked for. */
const COLD = /src\/(index\.ts|plan-file|config\/(?!config\.ts)|cli\/(doctor|commands\/(doctor|completion|init)))/;

export default defineConfig({
  entry: { "cli/main": "src/cli/main.ts", index: "src/index.ts" },
  format: "esm",
  platform: "node",
  target: "node20.19",
  dts: { entry: "src/index.ts" },
  clean: true,
  minify: true,
  outExtensions: () => ({ js: ".js", dts: ".d.ts" }),
  // Node opens and links every file of an ES module graph one by one, so what most commands need is one file.
  outputOptions: {
    advancedChunks: {
      includeDependenciesRecursively: false,
      groups: [
        {
          name: "lockstep",
          test: (id) => /\/src\/.*(?<!\.d)\.ts$/.test(id) && !/node_modules/.test(id) && !COLD.test(id),
        },
      ],
    },
  },
});
