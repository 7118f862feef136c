import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readJson, writeJson } from "./json-file.ts";
import { pooledWorktrees } from "./kept-worktree.ts";
import { guardedSettings, restoreConfig, type SharedConfig, stampOfConfig } from "./shared-config.ts";
import { readShared, restoreShared, type SharedFile, stampOfShared } from "./shared-files.ts";
import type { WorktreeSettings } from "./worktree-settings.ts";

/** Hooks, attributes and settings as they were when no agent was at work: `<records>/settings.json`. */
interface KeptSettings {
  stamp: string;
  files: SharedFile[];
  configs: SharedConfig[];
}

type Places = Pick<WorktreeSettings, "folder" | "records">;

const CONFIGS = ["config", "config.worktree"];

/** Notes what is the user's own. Cheap when nothing has changed since the last time. */
export async function keepSettings(commonDir: string, { records }: Places): Promise<void> {
  const stamp = stampOf(commonDir);
  if ((readKept(records)?.stamp ?? null) === stamp) return;
  mkdirSync(records, { recursive: true, mode: 0o700 });
  const configs: SharedConfig[] = [];
  for (const path of CONFIGS) {
    const file = join(commonDir, path);
    const content = existsSync(file) ? readFileSync(file).toString("base64") : null;
    configs.push({ path, settings: (await guardedSettings(records, file)) ?? [], content });
  }
  write(records, { stamp, files: readShared(commonDir), configs });
}

/** Whether anything may be other than it was noted. */
export function settingsChanged(commonDir: string, { folder, records }: Places): boolean {
  const kept = readKept(records);
  return kept !== null && (kept.stamp !== stampOf(commonDir) || worktreeConfigs(commonDir, folder).length > 0);
}

/** Puts back what is other than it was noted. A sentence for each. */
export async function mendSettings(commonDir: string, { folder, records }: Places): Promise<string[]> {
  const kept = readKept(records);
  if (kept === null) return [];
  const mended: string[] = [];
  for (const config of kept.configs) mended.push(...(await restoreConfig({ folder, dir: commonDir }, config)));
  const ofMain = kept.configs.find(({ path }) => path === "config.worktree")?.settings ?? [];
  for (const dir of worktreeConfigs(commonDir, folder)) {
    const config = { path: "config.worktree", settings: ofMain, content: null };
    mended.push(...(await restoreConfig({ folder, dir }, config)));
  }
  mended.push(...restoreShared(commonDir, folder, kept.files));
  write(records, { ...kept, stamp: stampOf(commonDir) });
  return mended;
}

function stampOf(commonDir: string): string {
  return [...CONFIGS.map((path) => stampOfConfig(join(commonDir, path))), stampOfShared(commonDir)].join("\n");
}

/** Git's folders of those pooled worktrees that have settings of their own. */
function worktreeConfigs(commonDir: string, folder: string): string[] {
  const folders = pooledWorktrees(commonDir, folder).map(({ gitDir }) => gitDir);
  return folders.filter((dir) => existsSync(join(dir, "config.worktree")));
}

function readKept(records: string): KeptSettings | null {
  return readJson(join(records, "settings.json")) as KeptSettings | null;
}

function write(records: string, kept: KeptSettings): void {
  writeJson(join(records, "settings.json"), kept, { isDurable: false });
}
