import { z } from "zod";
import type { FailingCheck, PublishRefusal } from "../../../ports/publisher.ts";
import { isRefusal } from "../refusal.ts";
import { asFailing, FAILING_MAX, type SeenCheck } from "./ci.ts";
import type { Reader } from "./conditional.ts";
import { annotationSchema, parsed } from "./wire.ts";

/** What an agent is given of one check; of more checks than these only the names. */
const EXCERPT_LENGTH_MAX = 8_000;
const READ_MAX = 5;
const LOG_END_BYTES = 64 * 1024;
const ANNOTATIONS_MAX = 30;

/** The failing checks with what is to be had of their output: annotations, the end of a job's log, their own words. */
export async function withExcerpts(
  reader: Reader,
  checks: readonly SeenCheck[],
): Promise<FailingCheck[] | PublishRefusal> {
  const failing: FailingCheck[] = [];
  const failed = checks.filter(({ result }) => result === "failed").slice(0, FAILING_MAX);
  for (const [index, check] of failed.entries()) {
    const excerpt = index < READ_MAX ? await excerptOf(reader, check) : check.said;
    if (isRefusal(excerpt)) return excerpt;
    failing.push({ ...asFailing(check), excerpt });
  }
  return failing;
}

async function excerptOf(reader: Reader, check: SeenCheck): Promise<string | null | PublishRefusal> {
  const { run, said } = check;
  if (run === null) return said;
  const annotations = await annotationsOf(reader, run.id);
  if (isRefusal(annotations)) return annotations;
  const log = run.is_actions ? await logOf(reader, run.id) : "";
  if (isRefusal(log)) return log;
  const head = [said, annotations]
    .filter(Boolean)
    .join("\n")
    .slice(0, EXCERPT_LENGTH_MAX / 2);
  const end = log.slice(-(EXCERPT_LENGTH_MAX - head.length - 1)).replace(/^[\uDC00-\uDFFF]/, "");
  return [head, end].filter(Boolean).join("\n") || null;
}

async function annotationsOf(reader: Reader, id: number): Promise<string | PublishRefusal> {
  const doing = "list the annotations of a check";
  const path = `/check-runs/${id}/annotations?per_page=${ANNOTATIONS_MAX}`;
  const answer = await reader.client.ask({ method: "GET", path, doing }, reader.signal);
  if ("refused" in answer) return withoutIt(answer.refused, reader);
  const read = parsed(z.array(annotationSchema), answer.data, doing);
  if (isRefusal(read)) return withoutIt(read, reader);
  return read.map(({ path: file, start_line, message }) => `${file}:${start_line}: ${message}`).join("\n");
}

/** A job of GitHub Actions has the id of its check run. Each line of its log begins with a time. */
async function logOf(reader: Reader, id: number): Promise<string | PublishRefusal> {
  const path = `/actions/jobs/${id}/logs`;
  const doing = "give the log of a job";
  const answer = await reader.client.ask({ method: "GET", path, doing, end_bytes: LOG_END_BYTES }, reader.signal);
  if ("refused" in answer) return withoutIt(answer.refused, reader);
  return String(answer.data)
    .replaceAll(/^\uFEFF?\d{4}-\d\d-\d\dT[\d:.]+Z /gm, "")
    .trimEnd();
}

/** That a check failed is told without its log rather than not at all. A limit ends the whole look, and it is told later. */
function withoutIt(refused: PublishRefusal, { unread, signal }: Reader): string | PublishRefusal {
  if (refused.code === "rate_limited" || signal.aborted) return refused;
  unread(refused.text);
  return "";
}
