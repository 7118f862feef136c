/** Finished work waits in line for its target (priority first, then age): where a task stands there, and behind whom. */

import type { LandingRow } from "../task/rows.ts";

/** Work that is claimed done, whose time to be landed has come. */
export interface QueuedTask {
  plan: string;
  plan_name: string;
  id: string;
}

export interface QueuePlace {
  /** From 1: nothing is before it. */
  place: number;
  /** In the order in which they are landed. */
  ahead: QueuedTask[];
}

/** Null for a task that stands behind all that was read of the queue. What is being landed already goes first. */
export function placeInQueue(
  queue: readonly QueuedTask[],
  landing: Pick<LandingRow, "plan" | "task"> | null,
  task: { plan: string; id: string },
): QueuePlace | null {
  const at = queue.findIndex((other) => isSame(other, task));
  if (at === -1) return null;
  const underWay = landing === null ? null : { plan: landing.plan, id: landing.task };
  if (underWay === null || isSame(underWay, task)) return { place: at + 1, ahead: queue.slice(0, at) };
  const known = queue.find((other) => isSame(other, underWay));
  const first = known ?? { ...underWay, plan_name: underWay.plan };
  const ahead = [first, ...queue.slice(0, at).filter((other) => !isSame(other, first))];
  return { place: ahead.length + 1, ahead };
}

function isSame(a: { plan: string; id: string }, b: { plan: string; id: string }): boolean {
  return a.plan === b.plan && a.id === b.id;
}

/** Tasks that are named: a person wants to know what comes next, and how far away they are. */
const NAMED_MAX = 4;

/** `third in the landing queue of lockstep/shop, behind F-1 and F-2`; tasks of other plans have their plan's name. */
export function queueText({ place, ahead }: QueuePlace, target: string, plan: string): string {
  const where = `${ordinal(place)} in the landing queue of ${target.replace(/^refs\/heads\//, "")}`;
  if (ahead.length === 0) return where;
  const names = ahead.map((task) => (task.plan === plan ? task.id : `${task.plan_name}/${task.id}`));
  const named = names.length > NAMED_MAX ? names.slice(0, NAMED_MAX - 1) : names;
  const more = names.length - named.length;
  return `${where}, behind ${listed(more > 0 ? [...named, `${more} more`] : named)}`;
}

const ORDINALS = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"];

/** `first`, `11th`, `22nd`. */
export function ordinal(place: number): string {
  const word = ORDINALS[place - 1];
  if (word !== undefined) return word;
  const isTeen = place % 100 > 10 && place % 100 < 14;
  return `${place}${isTeen ? "th" : (["th", "st", "nd", "rd"][place % 10] ?? "th")}`;
}

function listed(words: readonly string[]): string {
  return words.length === 1 ? words[0]! : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}
