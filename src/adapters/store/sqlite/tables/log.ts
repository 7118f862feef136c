import type { Rejection } from "../../../../core/errors.ts";
import type { Event, Fact } from "../../../../core/task/events.ts";
import type { Answer, LoadCounts } from "../../../../ports/store.ts";
import type { LogTables, Stamp, StoredAnswer } from "../../tables.ts";
import type { Database } from "../database.ts";
import type { SqlRow } from "../driver.ts";
import { type Place, parseColumn } from "../unreadable.ts";

const APPEND = `
  INSERT INTO events (at, type, v, project, plan, task, attempt, actor, data) VALUES (?, ?, 1, ?, ?, ?, ?, ?, ?)`;

/**
 * What `newTask` made in this revision and nobody has touched; a hundred thousand of them are one statement. They stand in
 * the order of their keys already: by an index of the plan each would be looked up and all of them sorted.
 */
const APPEND_ADDED = `
  INSERT INTO events (at, type, v, project, plan, task, attempt, actor, data)
  SELECT ?, 'task.added', 1, ?, plan, id, NULL, ?, ?
  FROM tasks NOT INDEXED WHERE plan = ? AND revision = ? AND version = 0 AND origin = 'file' ORDER BY key`;

const SET_LAST_EVENT = "UPDATE counters SET n = ? WHERE scope = ? AND name = 'last_event'";

const PUT_ANSWER = "INSERT INTO answers (command, kind, first_seq, last_seq, body) VALUES (?, ?, ?, ?, ?)";

export function logTables(db: Database): LogTables {
  return {
    append: (facts, stamp) => {
      const events = facts.map((fact) => appendOne(db, fact, stamp));
      const last = events.at(-1);
      if (last && last.plan !== null) db.sql(SET_LAST_EVENT).run(last.seq, last.plan);
      return events;
    },
    appendAdded: (plan, revision, { at, project, actor }) => {
      const data = JSON.stringify({ origin: "file", revision, added: null });
      db.sql(APPEND_ADDED).run(at, project, actor, data, plan, revision);
    },
    answer: (command) => {
      const raw = db.sql("SELECT kind, first_seq, last_seq, body FROM answers WHERE command = ?").get(command);
      return raw ? answerOf(db, raw) : null;
    },
    putAnswer: (command, stored) => {
      if (stored.kind === "load") db.sql(PUT_ANSWER).run(command, "load", null, null, JSON.stringify(stored.counts));
      else putAnswer(db, command, stored.answer);
    },
  };
}

function appendOne(db: Database, fact: Fact, { at, project, actor }: Stamp): Event {
  const { type, plan, task, attempt, data } = fact;
  const values = [at, type, project, plan, task, attempt, actor, JSON.stringify(data)];
  const { lastInsertRowid } = db.sql(APPEND).run(...values);
  return { seq: Number(lastInsertRowid), at, v: 1, project, actor, ...fact };
}

function putAnswer(db: Database, command: string, answer: Answer): void {
  const { events } = answer;
  const body = answer.ok ? null : JSON.stringify(answer.rejection);
  db.sql(PUT_ANSWER).run(command, "submit", events[0]?.seq ?? null, events.at(-1)?.seq ?? null, body);
}

function answerOf(db: Database, { kind, first_seq, last_seq, body }: SqlRow): StoredAnswer {
  if (kind === "load") return { kind: "load", counts: JSON.parse(body as string) as LoadCounts };
  const events = db
    .sql("SELECT * FROM events WHERE seq BETWEEN ? AND ? ORDER BY seq")
    .all(first_seq!, last_seq!)
    .map(eventOf);
  if (body === null) return { kind: "submit", answer: { ok: true, events } };
  return { kind: "submit", answer: { ok: false, rejection: JSON.parse(body as string) as Rejection, events } };
}

export function eventOf(raw: SqlRow): Event {
  return { ...raw, data: parseColumn(raw.data, "data", () => placeOfEvent(raw)) } as unknown as Event;
}

function placeOfEvent({ seq, plan, task }: SqlRow): Place {
  return { plan: plan as string | null, task: task as string | null, row: `event ${seq}` };
}
