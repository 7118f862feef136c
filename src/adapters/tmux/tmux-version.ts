import { callTmux, tmuxEnv } from "./call-tmux.ts";

/** The oldest of which all that is asked here is known. */
export const TMUX_MIN = [3, 0] as const;

export type TmuxVersion =
  | { version: string }
  /** It is absent, or too old. */
  | { code: "no_tmux" | "tmux_too_old"; message: string };

/** Of the tmux on the PATH. */
export async function tmuxVersion(env: NodeJS.ProcessEnv): Promise<TmuxVersion> {
  const { ok, said } = await callTmux(["-V"], tmuxEnv(env));
  if (!ok) return { code: "no_tmux", message: `tmux cannot be started: ${said}` };
  const version = said.trim().replace(/^tmux /, "");
  const [, major, minor] = /(\d+)\.(\d+)/.exec(version) ?? [];
  // One that was built from its sources may name no number.
  if (major === undefined || isAtLeast(Number(major), Number(minor))) return { version };
  return { code: "tmux_too_old", message: `tmux ${version} is too old` };
}

function isAtLeast(major: number, minor: number): boolean {
  return major > TMUX_MIN[0] || (major === TMUX_MIN[0] && minor >= TMUX_MIN[1]);
}
