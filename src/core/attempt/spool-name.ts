/** Names of what an attempt leaves, as blobs: one folder, which is also where its runner works from. */

interface OfAttempt {
  /** The plan's id. */
  plan: string;
  slug: string;
}

/** The folder: `attempts/<aa>/<plan>/<slug>-<n>`. */
export function spoolName({ plan, slug }: OfAttempt, n: number): string {
  return `attempts/${plan.slice(-2)}/${plan}/${slug}-${n}`;
}

/** What the agent printed. */
export function transcriptName(of: OfAttempt, n: number): string {
  return `${spoolName(of, n)}/transcript.log`;
}
