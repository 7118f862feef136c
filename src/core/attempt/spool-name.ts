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

/** The homes that its agents have for themselves, one folder for each. */
export function homesName({ plan, slug }: OfAttempt): string {
  return `homes/${plan.slice(-2)}/${plan}/${slug}`;
}

/** What stands for an agent's name in a path. */
export function agentFolder(agent: string): string {
  return agent.replaceAll(/[^A-Za-z0-9_-]/g, "_");
}

/** Temporary files of an attempt. Short: sockets are made there, and their whole path has about a hundred characters. */
export function temporaryName(digest: string): string {
  return `tmp/${digest.slice(0, 2)}/${digest.slice(2, 10)}`;
}
