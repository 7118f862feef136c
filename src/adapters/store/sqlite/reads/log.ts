import type { Event } from "../../../../core/task/events.ts";
import type { ItemRow } from "../../../../core/task/rows.ts";
import type { EventQuery } from "../../../../ports/store.ts";
import { PAGE } from "../../../../ports/store.ts";
import { ITEMS } from "../codecs.ts";
import type { Database } from "../database.ts";
import { LIMIT } from "../limit.ts";
import { decode } from "../row-table.ts";
import { eventOf } from "../tables/log.ts";

export function openItems(db: Database, project: string, plan: string | null, limit: number): ItemRow[] {
  const sql = `
    SELECT ${ITEMS.list()} FROM items INDEXED BY items_open
    WHERE project = ? AND state = 'open'${plan === null ? "" : " AND plan = ?"} ORDER BY opened_at, rowid ${LIMIT}`;
  const named = plan === null ? [project] : [project, plan];
  return db.readable(db.sql(sql).all(...named, Math.min(limit, PAGE)), (raw) => decode(ITEMS, raw));
}

/** Of a plan only the stretch of the log is read in which its events lie; whoever follows it reads nothing in vain. */
export function events(db: Database, query: EventQuery): Event[] {
  const { after, limit, ...wanted } = query;
  const filters = (["project", "plan", "task"] as const).filter((name) => wanted[name] !== undefined);
  const where = ["seq > ?", "seq <= ?", ...filters.map((name) => `${name} = ?`)].join(" AND ");
  const { first, last } = wanted.plan === undefined ? WHOLE_LOG : stretchOf(db, wanted.plan);
  const asked = Math.min(limit, PAGE);
  const found = db
    .sql(`SELECT * FROM events WHERE ${where} ORDER BY seq ${LIMIT}`)
    .all(Math.max(after, first - 1), last, ...filters.map((name) => wanted[name]!), asked);
  const read = db.readable(found, eventOf);
  // A short page says that there are no more: one that lacks what cannot be read is filled up.
  const lacking = found.length === asked ? asked - read.length : 0;
  return lacking === 0
    ? read
    : [...read, ...events(db, { ...query, after: Number(found.at(-1)!.seq), limit: lacking })];
}

const WHOLE_LOG = { first: 1, last: Number.MAX_SAFE_INTEGER };

function stretchOf(db: Database, plan: string): { first: number; last: number } {
  const sql = "SELECT n FROM counters WHERE scope = ? AND name = ?";
  const at = (name: string): number => Number(db.sql(sql).get(plan, name)?.n ?? 0);
  return { first: at("first_event"), last: at("last_event") };
}
