/** What becomes of an agent's reports, whether they come by its tools or from its shell. */

import type { AgentReport, ReportRights } from "../core/attempt/agent-report.ts";
import type { Clock } from "../ports/clock.ts";
import type { RunnerSpool } from "../ports/runner.ts";
import type { Notices } from "./notices.ts";
import type { Questions } from "./questions.ts";
import { parseReport, type Report } from "./report.ts";
import type { Stop } from "./stop.ts";

export interface ReportsOptions {
  spool: RunnerSpool;
  questions: Questions;
  stop: Stop;
  askWaitMs: number;
  clock: Clock;
  rights: ReportRights;
  /** Told with the answer to whatever is reported. */
  notices: Pick<Notices, "take">;
}

/** The agent's own account of its work. */
export interface DoneReport {
  summary: string;
  report: AgentReport;
}

/** The answer to a report: what the agent is told, or why the report was not taken. `status` is that of HTTP. */
export type Taken = { ok: true; body: object } | { ok: false; status: number; message: string };

/** Each costs its engine a write: an agent that tells more than that is in a loop. */
const TOLD_MAX = 2_000;

export class Reports {
  readonly #options: ReportsOptions;
  #told = 0;
  #done: DoneReport | null = null;

  constructor(options: ReportsOptions) {
    this.#options = options;
  }

  /** The last one counts; null as long as there is none. */
  get done(): DoneReport | null {
    return this.#done;
  }

  /** `body` is what the agent sent; `left` aborts when it does not wait for the answer any more. */
  async take(type: Report["type"], body: unknown, left: AbortSignal): Promise<Taken> {
    const report = parseReport(type, body, this.#options.rights);
    if ("problem" in report) return refusal(400, report.problem);
    const taken = await this.#take(report, left);
    const notices = taken.ok ? this.#options.notices.take() : [];
    return taken.ok && notices.length > 0 ? { ...taken, body: { ...taken.body, notices } } : taken;
  }

  async #take(report: Report, left: AbortSignal): Promise<Taken> {
    this.#told += 1;
    if (this.#told > TOLD_MAX) return refusal(429, `this attempt has made ${TOLD_MAX} reports: it can make no more`);
    switch (report.type) {
      case "progress":
        this.#options.spool.tell({ type: "progress", text: report.text });
        return { ok: true, body: { ok: true } };
      case "done":
        return this.#keep(report);
      case "ask":
        return this.#ask(report, left);
    }
  }

  #keep({ summary, files, not_done, verdict, handoff }: Extract<Report, { type: "done" }>): Taken {
    this.#options.spool.tell({ type: "note", text: `reported done: ${summary}` });
    this.#done = { summary, report: { files, not_done, verdict, handoff } };
    return { ok: true, body: { ok: true } };
  }

  /** Waits for a person; an agent that cannot go on without the answer is ended when none comes in time. */
  async #ask(report: Extract<Report, { type: "ask" }>, left: AbortSignal): Promise<Taken> {
    const { questions, clock, stop, askWaitMs } = this.#options;
    const { question, options, default: fallback, can_continue } = report;
    const wait = can_continue ? {} : { wait: { ms: askWaitMs, then: "ends" as const } };
    const asked = questions.ask({ question, options, default: fallback, ...wait }, can_continue);
    if (asked === null) return refusal(429, "too many questions are open already");
    const { number } = asked;
    const over = new AbortController();
    const waited = clock.sleep(askWaitMs, AbortSignal.any([stop.signal, left, over.signal])).then(() => null);
    const answer = can_continue ? asked.answer : await Promise.race([asked.answered, waited]);
    over.abort();
    if (answer !== null && !left.aborted) questions.heard(number);
    if (left.aborted) questions.goOn(number);
    else if (answer === null && !can_continue) stop.now("blocked", question);
    return { ok: true, body: { question: number, answer } };
  }
}

function refusal(status: number, message: string): Taken {
  return { ok: false, status, message };
}
