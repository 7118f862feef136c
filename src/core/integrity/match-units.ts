import type { Assertion } from "./read-assertions.ts";
import type { Unit } from "./test-units.ts";

export interface MatchedUnits {
  /** What a unit before the change became. */
  became: Map<Unit, Unit>;
  /** Units of the later side that no earlier one became. */
  fresh: Set<Unit>;
}

/** The share of its assertions by which a test is known again under another name. */
const KNOWN_AGAIN_SHARE = 0.5;

/** How many tests with the same assertion are looked at. */
const CANDIDATES_MAX = 20;

/** Which unit became which: by file and name, by name, by body, then by what is asserted. */
export function matchUnits(
  before: readonly Unit[],
  after: readonly Unit[],
  sameFile: (a: Unit, b: Unit) => boolean,
): MatchedUnits {
  const matched: MatchedUnits = { became: new Map(), fresh: new Set(after) };
  matchBy(matched, before, (unit) => `${unit.kind} ${unit.name}`, sameFile);
  matchBy(
    matched,
    before,
    (unit) => `${unit.kind} ${unit.name}`,
    () => true,
  );
  matchBy(
    matched,
    before,
    (unit) => (unit.body.length > 20 ? `${unit.kind} ${unit.body}` : null),
    () => true,
  );
  matchByAssertions(matched, before);
  return matched;
}

/** What an assertion demands, whoever makes it. */
export function keyOf({ relation, negated, subject, expected }: Assertion): string {
  return `${relation} ${negated} ${subject} ${expected}`;
}

/** The same without the value under test, which may have got another name. */
export function demandKeyOf({ relation, negated, subject, expected }: Assertion): string {
  return `${relation} ${negated} ${expected === "" ? subject : expected}`;
}

function matchBy(
  { became, fresh }: MatchedUnits,
  before: readonly Unit[],
  key: (unit: Unit) => string | null,
  fits: (a: Unit, b: Unit) => boolean,
): void {
  const waiting = new Map<string, Unit[]>();
  for (const unit of fresh) {
    const own = key(unit);
    if (own !== null) waiting.set(own, [...(waiting.get(own) ?? []).slice(-CANDIDATES_MAX), unit]);
  }
  for (const unit of before) {
    const own = key(unit);
    if (became.has(unit) || own === null) continue;
    const candidates = waiting.get(own) ?? [];
    const index = candidates.findIndex((candidate) => fits(unit, candidate));
    if (index < 0) continue;
    const [found] = candidates.splice(index, 1);
    became.set(unit, found!);
    fresh.delete(found!);
  }
}

function matchByAssertions({ became, fresh }: MatchedUnits, before: readonly Unit[]): void {
  const holding = new Map<string, Unit[]>();
  for (const unit of fresh) {
    for (const key of new Set(unit.assertions.map(demandKeyOf))) {
      const holders = holding.get(key) ?? [];
      if (holders.length < CANDIDATES_MAX) holding.set(key, [...holders, unit]);
    }
  }
  for (const unit of before) {
    if (became.has(unit) || unit.assertions.length === 0) continue;
    const shared = new Map<Unit, number>();
    for (const key of unit.assertions.map(demandKeyOf)) {
      for (const holder of holding.get(key) ?? []) {
        if (fresh.has(holder) && holder.kind === unit.kind) shared.set(holder, (shared.get(holder) ?? 0) + 1);
      }
    }
    const best = [...shared].sort((a, b) => b[1] - a[1])[0];
    if (best === undefined || best[1] < unit.assertions.length * KNOWN_AGAIN_SHARE) continue;
    became.set(unit, best[0]);
    fresh.delete(best[0]);
  }
}
