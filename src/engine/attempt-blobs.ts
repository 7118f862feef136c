/** Names of the blobs that an attempt leaves: what it was given, and what its agent printed. */
export function attemptBlobs(
  { plan, slug }: { plan: string; slug: string },
  n: number,
): { brief: string; log: string } {
  const folder = `attempts/${plan.slice(-2)}/${plan}/${slug}-${n}`;
  return { brief: `${folder}.brief.json`, log: `${folder}.log` };
}
