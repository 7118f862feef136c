/** Exit codes (spec, section 9). */
export const EXIT = {
  ok: 0,
  refused: 1,
  usage: 2,
  needs_person: 3,
  tasks_failed: 5,
  parked: 75,
  interrupted: 130,
  terminated: 143,
} as const;
