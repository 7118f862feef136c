import type { WorkspaceRefusal } from "../../ports/workspace.ts";
import type { Git } from "./git.ts";

/** Refuses a git that is older than `least` (major, minor). */
export async function oldGit(git: Git, least: readonly [number, number]): Promise<WorkspaceRefusal | null> {
  const said = await git.text(["version"]);
  const [, major, minor] = /(\d+)\.(\d+)/.exec(said) ?? [];
  if (major === undefined || Number(major) > least[0]) return null;
  if (Number(major) === least[0] && Number(minor) >= least[1]) return null;
  return { code: "git", text: `${said} is too old: lockstep needs git ${least.join(".")} or later` };
}
