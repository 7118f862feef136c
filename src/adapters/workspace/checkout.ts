import { join } from "node:path";
import type { Locks } from "../../ports/locks.ts";
import type { WorkspaceRefusal } from "../../ports/workspace.ts";
import { readCheckout } from "./checkout-state.ts";
import { againIfKilled, type Git, gitIn, refusalOf } from "./git.ts";
import { type RepositoryPlace, repositoryAt } from "./repository-place.ts";

/** Longer than any step that holds the lock, a first `git add` of a large tree aside. */
const LOCK_WAIT_MS = 60_000;
const BUSY = `another process of lockstep has worked on this repository for ${LOCK_WAIT_MS / 1_000} s: see \`lockstep doctor\``;

/** A checkout that this process alone may work on now. */
export interface Checkout {
  git: Git;
  place: RepositoryPlace;
  /** Where lockstep keeps its own files of this checkout. */
  folder: string;
}

/** The checkout whose top is this very directory, or null. One above it is another project's and never meant. */
export function checkoutAt(top: string): Checkout | null {
  const place = repositoryAt(top);
  return place === null ? null : { git: gitIn(top), place, folder: join(place.git_dir, "lockstep") };
}

/**
 * Does something to a repository while no other process of lockstep does, or says why it cannot: the repository is gone
 * or broken, or the lock is kept by another.
 */
export function inCheckout<T>(
  top: string,
  locks: Locks,
  act: (checkout: Checkout) => Promise<T>,
): Promise<T | WorkspaceRefusal> {
  return lookAt<T | WorkspaceRefusal>(top, async (checkout) => {
    const release = await locks.acquire(join(checkout.place.common_dir, "lockstep", "git-serial.db"), LOCK_WAIT_MS);
    if (release === null) return { code: "busy", text: BUSY };
    try {
      return await act(checkout);
    } finally {
      release();
    }
  });
}

/** The same for what changes nothing, and so needs no lock. */
export async function lookAt<T>(top: string, act: (checkout: Checkout) => Promise<T>): Promise<T | WorkspaceRefusal> {
  try {
    const checkout = checkoutAt(top);
    return checkout === null ? await noCheckout(top) : await againIfKilled(() => act(checkout));
  } catch (error) {
    return refusalOf(error);
  }
}

async function noCheckout(top: string): Promise<WorkspaceRefusal> {
  const state = await readCheckout(gitIn(top));
  if ("code" in state && state.code === "bare_repository") return state;
  return {
    code: "missing",
    text: `no git repository at ${top}: its .git is gone or broken; restore it, or run \`git init\``,
  };
}
