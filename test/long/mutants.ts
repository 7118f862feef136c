/**
 * Deletes the machine's lines one at a time and asks whether the tests notice. Lines whose deletion no longer compiles
 * are the compiler's to catch and are not counted.
 */

import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import ts from "typescript";

const ROOT = new URL("../..", import.meta.url).pathname;
/** One for each core that a small machine has. */
const WORKERS = 2;
/** A mutant that loops for ever is caught by its time. */
const TEST_TIMEOUT_MS = 60_000;

interface Mutant {
  file: string;
  line: number;
  text: string;
  source: string;
}

export interface MutantCounts {
  caught: number;
  total: number;
  survivors: string[];
}

/** Every line of `handle` (with its handlers), `evolve` and `decide` (with its gates). */
function machineFiles(): string[] {
  const handlers = readdirSync(join(ROOT, "src/core/task/handlers")).map((name) => `src/core/task/handlers/${name}`);
  return [
    "src/core/task/handle.ts",
    "src/core/task/evolve.ts",
    "src/core/schedule/decide.ts",
    "src/core/schedule/gates.ts",
    ...handlers,
  ];
}

export async function runMutants(print: (line: string) => void): Promise<MutantCounts> {
  const mutants = compiling(machineFiles().flatMap(deletions));
  print(`${mutants.length} single-line deletions still compile`);
  const survivors: string[] = [];
  const queue = [...mutants];
  let done = 0;
  const worker = async (): Promise<void> => {
    const lab = makeLab();
    for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
      if (await survives(lab, mutant)) survivors.push(`${mutant.file}:${mutant.line}  ${mutant.text.trim()}`);
      if (++done % 50 === 0) print(`${done} of ${mutants.length}, ${survivors.length} survive`);
    }
    rmSync(lab, { recursive: true });
  };
  await Promise.all(Array.from({ length: WORKERS }, worker));
  return { caught: mutants.length - survivors.length, total: mutants.length, survivors: survivors.sort() };
}

function deletions(file: string): Mutant[] {
  const lines = readFileSync(join(ROOT, file), "utf8").split("\n");
  return lines.flatMap((text, index) => {
    const isCode = text.trim() !== "" && !/^\s*(\/\/|\/?\*|import |export type|\}|\)|\]|interface )/.test(text);
    const source = lines.filter((_, i) => i !== index).join("\n");
    return isCode ? [{ file, line: index + 1, text, source }] : [];
  });
}

/** Those that the compiler lets pass, under the project's own settings. */
function compiling(mutants: Mutant[]): Mutant[] {
  const config = ts.getParsedCommandLineOfConfigFile(
    join(ROOT, "tsconfig.json"),
    {},
    { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => undefined },
  );
  if (!config) throw new Error("tsconfig.json cannot be read");
  const current = new Map<string, { version: number; text: string }>();
  const names = machineFiles().map((file) => join(ROOT, file));
  const read = (name: string): string | undefined => current.get(name)?.text ?? ts.sys.readFile(name);
  const service = ts.createLanguageService({
    getCompilationSettings: () => config.options,
    getScriptFileNames: () => names,
    getScriptVersion: (name) => String(current.get(name)?.version ?? 0),
    getScriptSnapshot: (name) => {
      const text = read(name);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => ROOT,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: ts.sys.fileExists,
    readFile: read,
  });
  return mutants.filter(({ file, source }) => {
    const name = join(ROOT, file);
    const version = (current.get(name)?.version ?? 0) + 1;
    current.set(name, { version, text: source });
    const problems =
      service.getSyntacticDiagnostics(name).length > 0 || service.getSemanticDiagnostics(name).length > 0;
    current.set(name, { version: version + 1, text: readFileSync(name, "utf8") });
    return !problems;
  });
}

/** A copy of what the machine's tests need. */
function makeLab(): string {
  const lab = mkdtempSync(join(tmpdir(), "lockstep-mutants-"));
  for (const folder of ["src/core", "test/core", "test/fixtures", "test/golden"]) {
    mkdirSync(join(lab, folder), { recursive: true });
    cpSync(join(ROOT, folder), join(lab, folder), { recursive: true });
  }
  for (const file of ["package.json", "tsconfig.json", "vitest.config.ts"]) cpSync(join(ROOT, file), join(lab, file));
  symlinkSync(join(ROOT, "node_modules"), join(lab, "node_modules"));
  return lab;
}

async function survives(lab: string, { file, source }: Mutant): Promise<boolean> {
  const target = join(lab, file);
  const original = readFileSync(target, "utf8");
  writeFileSync(target, source);
  const green = await new Promise<boolean>((resolve) => {
    const vitest = relative(lab, join(lab, "node_modules/vitest/vitest.mjs"));
    const args = [
      vitest,
      "run",
      "test/core",
      "--bail",
      "1",
      "--reporter",
      "dot",
      "--pool",
      "threads",
      "--maxWorkers",
      "1",
      "--no-isolate",
    ];
    execFile(process.execPath, args, { cwd: lab, timeout: TEST_TIMEOUT_MS, killSignal: "SIGKILL" }, (error) =>
      resolve(error === null),
    );
  });
  writeFileSync(target, original);
  return green;
}
