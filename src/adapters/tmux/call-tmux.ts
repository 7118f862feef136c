/** Calls tmux, each call within its time. */

import { execFile } from "node:child_process";

/** A call of tmux takes milliseconds, unless its server hangs: then nobody waits for it. */
const CALL_MS = 5_000;

/** `said`: what it printed, or why it could not be called, in one line. */
export interface TmuxAnswer {
  ok: boolean;
  said: string;
}

/** Never rejects. `env` is all that a server which this call starts ever knows of an environment. */
export function callTmux(args: readonly string[], env: Readonly<Record<string, string>>): Promise<TmuxAnswer> {
  return new Promise((resolve) => {
    const options = { env, cwd: "/", timeout: CALL_MS, killSignal: "SIGKILL", encoding: "utf8" } as const;
    execFile("tmux", args, options, (error, stdout, stderr) => {
      if (error === null) return resolve({ ok: true, said: stdout });
      const why = error.killed ? `it did not answer within ${CALL_MS / 1_000} s` : stderr.trim() || error.message;
      resolve({ ok: false, said: why.split("\n")[0]! });
    });
  });
}

/** What tmux, and a shell in it, need: never what an agent is given, for a server keeps its first environment for ever. */
const PASSED = ["PATH", "HOME", "TERM", "LANG", "LC_ALL", "LC_CTYPE"];

export function tmuxEnv(env: NodeJS.ProcessEnv): Record<string, string> {
  const passed = PASSED.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]));
  return { ...Object.fromEntries(passed), SHELL: "/bin/sh" };
}
