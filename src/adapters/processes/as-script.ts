/**
 * An environment in which bash is a script's shell. The pipe to a child's standard input is a socket, which an outermost
 * bash takes for a remote login: it would run the user's `~/.bashrc`. One shell further in it does not.
 */
export function asScript<Env extends NodeJS.ProcessEnv>(env: Env): Env & { SHLVL: string } {
  return { ...env, SHLVL: String(Math.max(1, Number.parseInt(env["SHLVL"] ?? "", 10) || 0)) };
}
