/** How long an agent that cannot go on waits for a person before its attempt ends (spec, section 6). */
export const ASK_WAIT_MS = 600_000;
