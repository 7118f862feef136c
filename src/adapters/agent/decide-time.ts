/**
 * A login, a limit or an overload that is still there after this is no passing trouble, whatever the agent would go on to
 * try: soon enough for whoever waits, late enough to renew a login. Milliseconds.
 */
export const DECIDE_MS = 15_000;
