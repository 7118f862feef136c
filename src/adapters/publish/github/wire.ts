/** What is read of GitHub's answers. Fields that are not named here are dropped. */

import { z } from "zod";
import type { PublishRefusal } from "../../../ports/publisher.ts";
import { LATER, refusal } from "../refusal.ts";

const sha = z.string().regex(/^[0-9a-f]{40,64}$/);
const id = z.number().int().min(0);
const text = z
  .string()
  .nullish()
  .transform((value) => value ?? "");
const user = z.object({ login: z.string(), type: z.string().optional() }).nullish();

export const pullSchema = z.object({
  number: id,
  html_url: z.string(),
  node_id: z.string(),
  state: z.enum(["open", "closed"]),
  draft: z.boolean().optional(),
  merged_at: z.string().nullish(),
  merge_commit_sha: sha.nullish(),
  mergeable: z.boolean().nullish(),
  body: text,
  head: z.object({ ref: z.string(), sha, repo: z.object({ full_name: z.string() }).nullish() }),
  base: z.object({ ref: z.string() }),
});
export type Pull = z.infer<typeof pullSchema>;

export const commentSchema = z.object({
  id,
  html_url: z.string(),
  body: text,
  user,
  author_association: z.string().optional(),
  // Of a comment on a line.
  path: z.string().optional(),
  line: z.number().int().nullish(),
  pull_request_review_id: id.nullish(),
});
export type WireComment = z.infer<typeof commentSchema>;

export const reviewSchema = z.object({
  id,
  html_url: z.string(),
  body: text,
  user,
  author_association: z.string().optional(),
  state: z.string(),
  commit_id: z.string().nullish(),
});
export type WireReview = z.infer<typeof reviewSchema>;

export const checkRunSchema = z.object({
  id,
  name: z.string(),
  status: z.string(),
  conclusion: z.string().nullish(),
  html_url: z.string().nullish(),
  app: z.object({ slug: z.string().optional() }).nullish(),
  output: z.object({ title: text, summary: text, text, annotations_count: z.number().optional() }).nullish(),
});
export type CheckRun = z.infer<typeof checkRunSchema>;

export const statusSchema = z.object({
  context: z.string(),
  state: z.string(),
  description: text,
  target_url: z.string().nullish(),
});

export const annotationSchema = z.object({
  path: z.string(),
  start_line: z.number().int(),
  message: text,
  annotation_level: z.string().nullish(),
});

export const commitSchema = z.object({ tree: z.object({ sha }) });

/** The parsed answer, or a refusal that says what was wrong with it. */
export function parsed<T>(schema: z.ZodType<T>, data: unknown, doing: string): T | PublishRefusal {
  const read = schema.safeParse(data);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const where = issue === undefined ? "" : ` at ${issue.path.join(".") || "its top"}: ${issue.message}`;
  return refusal("unavailable", `GitHub's answer was not understood when asked to ${doing}${where}`, LATER);
}
