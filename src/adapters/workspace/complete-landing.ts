import type { Checkout } from "./checkout.ts";
import { commitAt } from "./head.ts";
import { type InPlaceRecord, readRecord } from "./in-place-record.ts";

/**
 * The second half of a landing: once the branch has moved to the landed commit, the index becomes that commit's, and
 * the files stay. Also completes one that was cut off between the two. Gives the record of that landing, or null when
 * there was none, or when the checkout has moved on since.
 */
export async function completeLanding({ git, folder }: Checkout): Promise<InPlaceRecord | null> {
  const record = readRecord(folder);
  if (record?.state !== "landing" || record.commit === null) return null;
  if ((await commitAt(git, "HEAD")) !== record.commit) return null;
  await git.text(["read-tree", "--reset", record.commit]);
  return record;
}
