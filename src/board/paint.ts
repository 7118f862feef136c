import type { TaskState } from "../core/task/moves.ts";

export type Style = "bold" | "dim" | "red" | "green" | "yellow" | "blue";

/** Colours a text where colours are wanted; takes no cells. */
export type Paint = (style: Style, text: string) => string;

/** A sign beside every state, and a colour that only repeats what the sign says. */
export const STATE_LOOKS: Readonly<Record<TaskState, { sign: string; style: Style }>> = {
  pending: { sign: "·", style: "dim" },
  in_progress: { sign: "▶", style: "blue" },
  claimed_done: { sign: "…", style: "blue" },
  verified: { sign: "✓", style: "green" },
  blocked: { sign: "?", style: "yellow" },
  failed: { sign: "✗", style: "red" },
  skipped: { sign: "-", style: "dim" },
  cancelled: { sign: "-", style: "dim" },
};
