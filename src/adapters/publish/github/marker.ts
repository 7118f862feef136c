import type { PublishRequest } from "../../../ports/publisher.ts";

const BEGINNING = "<!-- lockstep:";

/** Hidden lines around what is lockstep's own in a body; the same first line begins its comment. */
export interface Marker {
  begin: string;
  end: string;
}

export function markerOf({ project, plan, task }: PublishRequest["origin"]): Marker {
  const names = [project, plan, task].map(encoded).join(" ");
  return { begin: `${BEGINNING} ${names} -->`, end: `${BEGINNING}end ${names} -->` };
}

/** Whether a text was written by a lockstep, of whatever project. */
export function isOwn(text: string): boolean {
  return text.startsWith(BEGINNING);
}

/** Texts of others may hold no hidden part: a false end, or what only an agent reads. */
export function withoutHidden(text: string): string {
  return text.replaceAll("<!--", "&lt;!--");
}

/** The end of an HTML comment cannot stand in it. */
function encoded(name: string): string {
  return encodeURIComponent(name).replaceAll("--", "-%2D");
}
