/**
 * Keeps what V8 makes of this program's files, so that the next start need not compile them again: that is a fifth of a
 * start. Node does it itself from 22.1 on; what stands here is for the versions before.
 */

import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { Script } from "node:vm";
import { EXIT } from "./exit-codes.ts";

/** What nobody has made anew for so long (ms) is of a build that is gone, or is cheap to make again. */
const KEPT_MS = 30 * 24 * 3_600_000;

/** What is used of `node:module` beside its documented part, and what the oldest supported platform does not have. */
interface Compiler {
  enableCompileCache?(folder: string): unknown;
  wrap(source: string): string;
}

const compiler = process.getBuiltinModule("node:module") as Compiler;

/**
 * Code is kept in `folder`, which is made where the one above it exists, for each command by itself: only what a command
 * has called is worth keeping. A folder that cannot be written costs the next start its time, and nothing else.
 */
export function keepCompiledCode(folder: string, argv: readonly string[]): void {
  if (statSync(dirname(folder), { throwIfNoEntry: false }) === undefined) return;
  if (compiler.enableCompileCache !== undefined) {
    compiler.enableCompileCache(folder);
    return;
  }
  const { extensions } = createRequire(import.meta.filename);
  const compileAny = extensions[".js"]!;
  const kept = new KeptCode(folder, `${process.version}-${process.arch}-${commandOf(argv)}`);
  extensions[".cjs"] = (module, file) => {
    if (dirname(file) === import.meta.dirname) kept.run(module, file);
    else compileAny(module, file);
  };
  process.once("exit", (code) => {
    // Of a command that was written wrongly nothing will be called again.
    if (code !== EXIT.usage) kept.save();
  });
}

/** Its first word: a group of commands calls much the same. */
function commandOf(argv: readonly string[]): string {
  return argv.find((word) => /^[a-z]+$/.test(word)) ?? "status";
}

class KeptCode {
  private readonly folder: string;
  private readonly prefix: string;
  private readonly fresh: { name: string; script: Script }[] = [];

  constructor(folder: string, prefix: string) {
    this.folder = folder;
    this.prefix = prefix;
  }

  /** Runs a file of the build as a CommonJS module. The bundler has put the hash of its content into its name. */
  run(module: NodeJS.Module, file: string): void {
    const name = `${this.prefix}-${basename(file)}`;
    const cachedData = this.read(name);
    const script = new Script(compiler.wrap(readFileSync(file, "utf8")), { filename: file, cachedData });
    // V8 refuses what another version of it has made, or it under other flags, and compiles anew.
    if (cachedData === undefined || script.cachedDataRejected) this.fresh.push({ name, script });
    const body = script.runInThisContext() as (...parts: unknown[]) => void;
    body.call(module.exports, module.exports, module.require.bind(module), module, file, dirname(file));
  }

  /** At the end, when all that was called has been compiled. */
  save(): void {
    if (this.fresh.length === 0) return;
    tolerant(() => {
      if (statSync(this.folder, { throwIfNoEntry: false }) === undefined) mkdirSync(this.folder, { mode: 0o700 });
      for (const { name, script } of this.fresh) this.write(name, script.createCachedData());
      this.dropOld();
    });
  }

  private read(name: string): Buffer | undefined {
    return tolerant(() => readFileSync(join(this.folder, name)));
  }

  /** V8 trusts what it is given, so no half of a file ever stands under its name, not even after a power cut. */
  private write(name: string, data: Buffer): void {
    const draft = join(this.folder, `${name}.${process.pid}`);
    const descriptor = openSync(draft, "w", 0o600);
    try {
      writeSync(descriptor, data);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(draft, join(this.folder, name));
  }

  private dropOld(): void {
    const oldest = Date.now() - KEPT_MS;
    for (const name of readdirSync(this.folder)) {
      const file = join(this.folder, name);
      if (statSync(file).mtimeMs < oldest) unlinkSync(file);
    }
  }
}

/** Whatever the file system refuses here is done without. */
function tolerant<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    return undefined;
  }
}
