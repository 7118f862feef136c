/** What programs that lockstep starts may see of its own environment. */

/** Names that look like secrets: an agent or a check gets them only from whoever means it to have them. */
const SECRET = /KEY|TOKEN|SECRET|PASSW|CREDENTIAL/i;

/**
 * Marks of lockstep itself are set anew for each child; but what runs inside a check or an agent of another lockstep ends
 * with that, and so keeps its mark.
 */
const OWN = /^LOCKSTEP_(?!CHECK$)/;

export function childEnv(env: NodeJS.ProcessEnv): Record<string, string> {
  const kept = Object.entries(env).filter(
    ([name, value]) => value !== undefined && !SECRET.test(name) && !OWN.test(name),
  );
  return Object.fromEntries(kept) as Record<string, string>;
}
