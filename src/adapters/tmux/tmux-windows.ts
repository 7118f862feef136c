/** Sessions in a tmux server of lockstep's own, one an attempt. */

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { type WindowName, type Windows, windowOf } from "../../ports/windows.ts";
import { callTmux, type TmuxAnswer, tmuxEnv } from "./call-tmux.ts";

export interface TmuxWindowsOptions {
  /** Absolute path; what shares it shares a server. */
  stateDir: string;
  /** Absolute path of an attempt's spool, in which `transcript.log` and `done.json` come to lie. */
  spoolDir(attempt: { plan: string; slug: string; n: number }): string;
  env: NodeJS.ProcessEnv;
}

/** A server that has just lost its last session is on its way out, and refuses whoever comes at that moment. */
const OPEN_TRIES = 3;

/** Larger than most terminals: whoever attaches sets the size. */
const SIZE = ["-x", "200", "-y", "50"];

/** `$1`: the spool. Follows the transcript, which may still have to come, and be replaced by a shorter one, to its end. */
const SHOW =
  'tail -n +1 -F "$1/transcript.log" 2>/dev/null & tail=$!; trap \'kill "$tail"\' EXIT; ' +
  'while [ -d "$1" ] && [ ! -e "$1/done.json" ]; do sleep 5; done';

export function tmuxWindows({ stateDir, spoolDir, env }: TmuxWindowsOptions): Windows {
  const server = serverOf(stateDir);
  const call = (...args: string[]): Promise<TmuxAnswer> => callTmux([...server.args, ...args], tmuxEnv(env));
  return {
    open: async (attempt) => {
      const name = sessionName(windowOf(attempt));
      const status = ["set-option", "-t", `=${name}:`, "status-right", "C-b d leaves"];
      const longer = ["set-option", "-t", `=${name}:`, "status-left-length", "80"];
      const show = ["sh", "-c", SHOW, "sh", spoolDir(attempt)];
      let said = "";
      for (let left = OPEN_TRIES; left > 0; left--) {
        const opened = await call("new-session", "-d", "-s", name, ...SIZE, ...show, ";", ...status, ";", ...longer);
        if (opened.ok) return null;
        said = opened.said;
      }
      return said;
    },
    // That it is gone already, or its whole server, is as good.
    close: async (window) => {
      if (existsSync(server.socket)) await call("kill-session", "-t", `=${sessionName(window)}`);
    },
    list: async () => {
      if (!existsSync(server.socket)) return [];
      const { ok, said } = await call("list-sessions", "-F", "#{session_name}");
      return ok ? said.split("\n").flatMap(windowNamed) : [];
    },
  };
}

/** What `tmux` has to be called with to show an attempt in this terminal; null when it has no session. */
export async function attachArguments(
  stateDir: string,
  window: WindowName,
  env: NodeJS.ProcessEnv,
): Promise<string[] | null> {
  const server = serverOf(stateDir);
  const target = `=${sessionName(window)}`;
  if (!existsSync(server.socket)) return null;
  const found = await callTmux([...server.args, "has-session", "-t", target], tmuxEnv(env));
  // Whoever watches must not end what is shown.
  return found.ok ? [...server.args, "attach-session", "-r", "-t", target] : null;
}

/** Systems allow 104 bytes and more for the path of a socket, with its end. */
const SOCKET_BYTES_MAX = 100;

/** No file of the user's is read: what they bind and set is for their own sessions. */
function serverOf(stateDir: string): { args: string[]; socket: string } {
  const file = ["-f", "/dev/null"];
  const socket = join(stateDir, "tmux.sock");
  if (Buffer.byteLength(socket) <= SOCKET_BYTES_MAX) return { args: [...file, "-S", socket], socket };
  const name = `lockstep-${createHash("sha256").update(stateDir).digest("hex").slice(0, 12)}`;
  return { args: [...file, "-L", name], socket: join("/tmp", `tmux-${userInfo().uid}`, name) };
}

/** A slug holds neither a dot nor a colon, which tmux would read as its own. */
function sessionName({ slug, n, plan_end }: WindowName): string {
  return `${slug}-${n}-${plan_end}`;
}

function windowNamed(name: string): WindowName[] {
  const [, slug, n, plan_end] = /^(.+)-(\d+)-([A-Za-z0-9]+)$/.exec(name) ?? [];
  return slug === undefined || plan_end === undefined ? [] : [{ slug, n: Number(n), plan_end }];
}
