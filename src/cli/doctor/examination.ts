export interface Finding {
  code: string;
  message: string;
  /** What mends it: a command where there is one. */
  fix: string;
}

/** One thing that was looked at: fine as `found` says, or a problem. */
export interface Examination {
  what: string;
  found: string;
  problem: Finding | null;
}

export function fine(what: string, found: string): Examination {
  return { what, found, problem: null };
}

export function wrong(what: string, code: string, message: string, fix: string): Examination {
  return { what, found: message, problem: { code, message, fix } };
}
