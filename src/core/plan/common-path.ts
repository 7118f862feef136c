import type { Pattern, Segment } from "./glob.ts";
import type { CharacterSet, Literal, Token } from "./glob-character.ts";

type Character = Literal | CharacterSet;

/** How two patterns are compared. Steps are pairs of places that were looked at; without any left the answer is yes. */
export interface Walk {
  areSame: (a: Character, b: Character) => boolean;
  stepsLeft: number;
}

/** Whether some path matches both patterns. */
export function haveCommonPath(a: Pattern, b: Pattern, walk: Walk): boolean {
  return meet<Segment>(a, b, {
    isAny: (segment) => segment === "any_depth",
    areSame: (one, other) => segmentsMeet(one as Token[], other as Token[], walk),
    walk,
  });
}

function segmentsMeet(a: Token[], b: Token[], walk: Walk): boolean {
  return meet<Token>(a, b, {
    isAny: (token) => token.kind === "star",
    areSame: (one, other) => walk.areSame(one as Character, other as Character),
    walk,
  });
}

interface Alphabet<Item> {
  /** Stands for any number of items, none included. */
  isAny: (item: Item) => boolean;
  areSame: (a: Item, b: Item) => boolean;
  walk: Walk;
}

/** Whether the two can be the same: item by item up to the first that stands for any number, and then in every way. */
function meet<Item>(a: readonly Item[], b: readonly Item[], alphabet: Alphabet<Item>): boolean {
  const { isAny, areSame, walk } = alphabet;
  let at = 0;
  while (at < a.length && at < b.length && !isAny(a[at]!) && !isAny(b[at]!)) {
    walk.stepsLeft -= 1;
    if (!areSame(a[at]!, b[at]!)) return false;
    at += 1;
  }
  if (at === a.length && at === b.length) return true;
  return meetInAnyWay(a.slice(at), b.slice(at), alphabet);
}

/**
 * The product of two automata, from the ends: `rest[j]` says whether what follows place i of `a` and place j of `b` can
 * be the same. Two names that are only stars meet in any name, so an empty one needs no thought.
 */
function meetInAnyWay<Item>(a: readonly Item[], b: readonly Item[], { isAny, areSame, walk }: Alphabet<Item>): boolean {
  let after: boolean[] = [];
  for (let i = a.length; i >= 0; i--) {
    const rest: boolean[] = new Array(b.length + 1).fill(false);
    walk.stepsLeft -= b.length + 1;
    if (walk.stepsLeft < 0) return true;
    for (let j = b.length; j >= 0; j--) {
      const [one, other] = [a[i], b[j]];
      if (one === undefined && other === undefined) rest[j] = true;
      else if (one !== undefined && isAny(one)) rest[j] = after[j]! || (other !== undefined && rest[j + 1]!);
      else if (other !== undefined && isAny(other)) rest[j] = rest[j + 1]! || (one !== undefined && after[j]!);
      else rest[j] = one !== undefined && other !== undefined && after[j + 1]! && areSame(one, other);
    }
    after = rest;
  }
  return after[0]!;
}
