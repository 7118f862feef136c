/** How long an external worker holds a task unless it says otherwise (spec, section 6). */
export const CLAIM_TTL_MS = 30 * 60_000;
