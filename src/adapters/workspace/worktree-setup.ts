import { createHash } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Preparing, WorkspaceRefusal, WorkspaceTask } from "../../ports/workspace.ts";
import { type KeptWorktree, noteOf, type WorktreeNote, writeNote } from "./kept-worktree.ts";
import type { TrackedFiles } from "./worktree-index.ts";
import type { WorktreeSettings, WorktreeSetup } from "./worktree-settings.ts";

/** Files that say what a setup installs. */
const LOCK_FILES = new Set([
  "package-lock.json",
  "pnpm-lock.yaml",
  "yarn.lock",
  "Cargo.lock",
  "go.sum",
  "poetry.lock",
  "uv.lock",
  "Gemfile.lock",
  "composer.lock",
  "pom.xml",
]);
const LOCK_PATTERN = /^(bun\.lock.*|requirements.*\.txt|build\.gradle.*)$/;

/** Changes when a setup has to run again: over its commands and every lock file of the worktree. */
export function setupKey(commands: readonly string[], { files }: TrackedFiles): string {
  const hash = createHash("sha256").update(JSON.stringify(commands));
  const names = [...files.keys()].filter(isLockFile).sort();
  for (const name of names) hash.update(`${files.get(name)} ${name}\0`, "latin1");
  return hash.digest("hex");
}

function isLockFile(path: string): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return LOCK_FILES.has(name) || LOCK_PATTERN.test(name);
}

/** Ends a setup that an engine left running in the worktree when it died. */
export async function endOldSetup({ folder, processes }: WorktreeSettings, name: string): Promise<void> {
  const running = noteOf(folder, name)?.setup_process ?? null;
  if (running !== null) await processes.kill(running);
}

/** What the setup had made is gone: it has to run again. */
export function forgetSetup({ folder }: WorktreeSettings, { name }: KeptWorktree): void {
  const note = noteOf(folder, name);
  if (note !== null) writeNote(folder, name, { ...note, setup_key: null });
}

/** Runs the setup in a worktree unless it did already for the same lock files. Null when the worktree is ready. */
export async function setUp(
  settings: WorktreeSettings,
  task: WorkspaceTask,
  worktree: KeptWorktree,
  tracked: TrackedFiles,
  preparing: Preparing,
): Promise<WorkspaceRefusal | null> {
  const { setup, folder } = settings;
  if (setup === null || setup.commands.length === 0) return null;
  const key = setupKey(setup.commands, tracked);
  const note = noteOf(folder, worktree.name);
  if (note === null || note.setup_key === key) return null;
  for (const command of setup.commands) {
    const refusal = await runCommand(settings, setup, { task, worktree, note, command, preparing });
    if (refusal !== null) return refusal;
  }
  writeNote(folder, worktree.name, { ...note, setup_key: key, setup_process: null });
  return null;
}

interface Run {
  task: WorkspaceTask;
  worktree: KeptWorktree;
  note: WorktreeNote;
  command: string;
  preparing: Preparing;
}

async function runCommand(
  { processes, folder, below }: WorktreeSettings,
  setup: WorktreeSetup,
  { task, worktree, note, command, preparing: { signal, marks } }: Run,
): Promise<WorkspaceRefusal | null> {
  const cwd = join(worktree.place.top, below);
  mkdirSync(cwd, { recursive: true });
  const logFile = await setup.logFile(task, worktree.name);
  const held = await processes.holdCheck({
    command,
    cwd,
    timeoutMs: setup.timeoutMs,
    env: { ...setup.env, ...marks },
    logFile,
    ...(signal === undefined ? {} : { signal }),
  });
  writeNote(folder, worktree.name, { ...note, setup_key: null, setup_process: held.process });
  const end = await held.release();
  if (end.outcome === "green") return null;
  writeNote(folder, worktree.name, { ...note, setup_key: null, setup_process: null });
  const how =
    end.outcome === "killed"
      ? "was stopped"
      : end.outcome === "timed_out"
        ? `was not done after ${setup.timeoutMs / 1_000} s`
        : `ended with exit code ${end.exit_code}`;
  return { code: "setup", text: `the setup command ${JSON.stringify(command)} ${how}: ${end.tail.trimEnd()}` };
}
