/** What this version can do of what the words of the configuration promise. All of it stands here and nowhere else. */

import type { LandMode, WorkspaceMode } from "../core/plan/definition.ts";
import { ACP_AGENT_NAMES } from "./acp-agents.ts";

const OWN_ADAPTERS = ["command", "none", "scripted", "claude", "codex", "opencode"] as const;
export const ADAPTERS = [...OWN_ADAPTERS, ...ACP_AGENT_NAMES];
export type AdapterName = (typeof ADAPTERS)[number];

/** What holds an attempt's agent; `tmux` is the same with a session in which people watch it. */
export const HOSTS = ["process", "tmux"] as const;
export type HostName = (typeof HOSTS)[number];

/** Whose home directory an agent works in. */
export const HOMES = ["own", "shared"] as const;
export const SANDBOXES = ["bwrap"] as const;
export const NETWORKS = ["on", "off"] as const;

export const WORKSPACE_MODES = ["worktree", "clone", "in_place", "none"] as const satisfies readonly WorkspaceMode[];
export const GIT_HOOKS = ["skip", "run"] as const;
/** What work is offered to: a forge that has pull requests, or nothing but a remote. */
export const PUBLISHERS = ["github", "git"] as const;
export const LAND_MODES = ["merge", "squash", "pr", "off"] as const satisfies readonly LandMode[];

/** Valid words that are still refused, because accepting one would promise what does not happen. */
const LATER: ReadonlySet<string> = new Set(["setting of git_hooks run"]);

/** Where attempts work when the configuration does not say. */
export const WORKSPACE_MODE_DEFAULTS = {
  repository: "worktree",
  directory: "in_place",
} as const satisfies Record<string, WorkspaceMode>;

/** What a project is. */
export type ProjectKind = keyof typeof WORKSPACE_MODE_DEFAULTS;

/** Why a valid word is refused by this version, or null. */
export function laterProblem(
  kind: "adapter" | "workspace mode" | "land mode" | "setting of git_hooks",
  word: string,
  words: readonly string[],
): string | null {
  if (!LATER.has(`${kind} ${word}`)) return null;
  const now = words.filter((other) => !LATER.has(`${kind} ${other}`));
  return `the ${kind} ${word} comes with a later version: this one has ${listed(now)}`;
}

/** `a`, `a and b`, `a, b and c`. */
function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}
