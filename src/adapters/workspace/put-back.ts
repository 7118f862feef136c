import type { Checkout } from "./checkout.ts";
import { commitAt, readHead } from "./head.ts";
import type { InPlaceRecord } from "./in-place-record.ts";
import { keepSaved, NO_COMMIT } from "./kept-refs.ts";

/**
 * Undoes what an agent did to refs while it worked: its commits are kept at a saved ref, the target goes back to the
 * commit that the attempt started from, and HEAD to the target. Index and files stay, so its work is all still there.
 */
export async function putBack({ git }: Checkout, record: InPlaceRecord): Promise<void> {
  const [head, tip] = await Promise.all([readHead(git), commitAt(git, record.branch)]);
  if (head.tip !== null && head.tip !== record.base && head.tip !== tip) await keepSaved(git, record, head.tip);
  if (tip !== record.base) {
    if (tip !== null) await keepSaved(git, record, tip);
    const move = ["-m", "lockstep: not yet verified", "--no-deref", record.branch, record.base, tip ?? NO_COMMIT];
    await git.text(["update-ref", ...move]);
  }
  if (head.branch !== record.branch) {
    await git.text(["symbolic-ref", "-m", "lockstep: back to the target", "HEAD", record.branch]);
  }
}
