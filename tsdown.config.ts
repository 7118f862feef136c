import { fileURLToPath } from "node:url";
import { defineConfig } from "tsdown";

/**
 * The command line's chunks, each with what its files import, directly or not, and no earlier chunk has. Few and small ones:
 * a start pays for each file and each line.
 */
const CHUNKS: Readonly<Record<string, readonly string[]>> = {
  main: ["cli/main.ts"],
  start: ["cli/command-line.ts"],
  look: [
    "cli/session.ts",
    "cli/report-error.ts",
    "cli/commands/next.ts",
    "compose/sqlite.ts",
    "compose/engine-context.ts",
    "adapters/store/sqlite/addon.ts",
  ],
  status: ["cli/commands/status.ts"],
};

/** What pulls in a schema, a YAML reader, a client of a forge or a completion library stays in chunks of its own, loaded when it is asked for. */
const COLD =
  /\/src\/(plan-file|probe|adapters\/publish|compose\/examine-agents|config\/(?!config\.ts)|cli\/(help|doctor|commands\/(doctor|completion|init)))/;

interface Graph {
  getModuleInfo(id: string): { importedIds: string[] } | null;
}

/** The chunk of a module; null leaves it to the bundler. The rest, for commands that do something, is one file too. */
function chunkOf(id: string, graph: Graph): string | null {
  for (const [name, files] of Object.entries(CHUNKS)) if (importedBy(files, graph).has(id)) return name;
  return id.includes("/src/") && !COLD.test(id) ? "act" : null;
}

/** These files and every module that they import, directly or not; what is loaded on demand is left out. */
function importedBy(files: readonly string[], graph: Graph): Set<string> {
  const found = new Set(files.map((file) => fileURLToPath(new URL(`src/${file}`, import.meta.url))));
  for (const id of found) for (const imported of graph.getModuleInfo(id)?.importedIds ?? []) found.add(imported);
  return found;
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
    // The addon's JavaScript is a dozen small files, which a start need not look for one by one. The addon itself stays
    // where it was built, and so what searches for it is never asked. Schemas and YAML are many files too, and most of
    // what they bring is never used. What is only loaded on demand is bundled too: compiled code can import nothing.
    deps: { alwaysBundle: ["better-sqlite3", "zod", "yaml", "unbash"], neverBundle: ["bindings"] },
    outputOptions: {
      codeSplitting: { includeDependenciesRecursively: false, groups: [{ name: chunkOf }] },
    },
  },
  {
    ...common,
    // One file that starts fast and holds little: there is one such process for each attempt under way.
    entry: { runner: "src/compose/runner.ts" },
    format: "cjs",
    outDir: "dist/cli",
    dts: false,
    clean: false,
    outputOptions: { codeSplitting: false },
  },
]);
