/** The direction of the layers: an arrow that is not allowed here does not exist. */
const only = (name, from, allowed, comment) => ({
  name,
  comment,
  severity: "error",
  from: { path: from, pathNot: "\\.test\\.ts$" },
  to: { path: "^(src|sim|bench|test|web)/", pathNot: allowed },
});

module.exports = {
  forbidden: [
    { name: "no-cycles", severity: "error", from: {}, to: { circular: true } },
    only("core-alone", "^src/core/", "^src/core/", "The core is pure: it sees itself only."),
    only("ports", "^src/ports/", "^src/(core|ports)/", "Ports are interfaces over words of the core."),
    only("plan-file", "^src/plan-file/", "^src/(core|plan-file)/", "A plan file is parsed into the core's words."),
    only("config", "^src/config/", "^src/(core|plan-file|config)/", "Configuration shares the readers of plan files."),
    only("board", "^src/board/", "^src/(core|ports|board)/", "A view is drawn from facts; it asks nobody."),
    only("engine", "^src/engine/", "^src/(core|ports|engine)/", "The engine reaches the world through ports."),
    only(
      "runner",
      "^src/runner/",
      "^src/(core|ports|runner|adapters/agent)/",
      "A runner drives an agent and knows no engine.",
    ),
    only(
      "probe",
      "^src/probe/",
      "^src/(core|ports|probe|adapters/agent)/",
      "A probe drives an agent's program, as a runner does, on a model of its own; it knows no engine.",
    ),
    ...[
      "store",
      "agent",
      "workspace",
      "processes",
      "clock",
      "blobs",
      "spool",
      "tmux",
      "shell",
      "publish",
      "machine",
    ].map((kind) =>
      only(
        `adapter-${kind}`,
        `^src/adapters/${kind}/`,
        `^src/(core|ports|adapters/${kind})/`,
        "One kind of adapter never sees another.",
      ),
    ),
    {
      name: "nothing-imports-sim",
      severity: "error",
      comment: "The simulator drives the product; the product never knows of it.",
      from: { path: "^(src|bench|test|examples)/" },
      to: { path: "^sim/" },
    },
    {
      name: "core-no-packages",
      severity: "error",
      comment: "No node: module and no npm package in the core.",
      from: { path: "^src/core/", pathNot: "\\.test\\.ts$" },
      to: { dependencyTypes: ["core", "npm", "npm-dev", "npm-optional", "npm-peer"] },
    },
    {
      name: "compose-is-the-root",
      severity: "error",
      comment: "Only the surfaces and the public API start from compose.ts.",
      from: { path: "^src/(core|ports|plan-file|config|engine|runner|probe|adapters)/", pathNot: "\\.test\\.ts$" },
      to: { path: "^src/compose\\.ts$" },
    },
  ],
  options: {
    tsConfig: { fileName: "tsconfig.json" },
    tsPreCompilationDeps: true,
    doNotFollow: { path: "node_modules" },
    enhancedResolveOptions: { extensions: [".ts", ".js"], conditionNames: ["import", "node", "types"] },
  },
};
