import { defineConfig } from "tsdown";

/** What every start of the command line needs: reading its arguments, and the help. */
const START =
  /src\/cli\/(main|command|commands|exit-codes|failure|help|parse-arguments|parse-options|unknown-command|terminal|global-options)\.ts|src\/cli\/table\/|core\/plan\/nearest-name/;

/** What pulls in a schema, a YAML reader or a completion library stays in chunks of its own, loaded when it is asked for. */
const COLD = /src\/(plan-file|config\/(?!config\.ts)|cli\/(doctor|commands\/(doctor|completion|init)))/;

/** What only commands that do something need: processes, checkouts, checks. */
const ACT =
  /src\/(adapters\/(workspace\/(?!repository-place)|processes|blobs|agent|clock\/system-ids)|engine\/(?!context|facts|next|place|why|wait|landing-target)|compose\/(acting|workspace|inspect|run|load-plan-file|engine-lock)|cli\/(run\/|commands\/(answer|claim|diff|finish|logs|pause|plan-(?!show)|prove|resume|run|stop|task-(?!show))|attempt-output|engine-held|steer-run|change-task|claim-ttl|done-text|finish-task|load-file|checked-plan|stop-signals))/;

/** The rest is one file, for commands that only look: every file that is opened costs a start some of a millisecond. */
function isWarm(id: string): boolean {
  return /\/src\/.*(?<!\.d)\.ts$/.test(id) && !id.includes("node_modules") && !START.test(id) && !COLD.test(id);
}

const common = { platform: "node", target: "node20.19", minify: true } as const;

export default defineConfig([
  {
    ...common,
    entry: { index: "src/index.ts" },
    format: "esm",
    dts: true,
    clean: true,
    outExtensions: () => ({ js: ".js", dts: ".d.ts" }),
  },
  {
    ...common,
    // CommonJS starts a third faster than an ES module graph, and nobody imports the command line.
    entry: { main: "src/cli/main.ts" },
    format: "cjs",
    outDir: "dist/cli",
    dts: false,
    clean: false,
    outputOptions: {
      codeSplitting: {
        includeDependenciesRecursively: false,
        groups: [
          { name: "act", test: (id) => isWarm(id) && ACT.test(id) },
          { name: "look", test: (id) => isWarm(id) && !ACT.test(id) },
        ],
      },
    },
  },
]);
