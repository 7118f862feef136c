import type { Git } from "./git.ts";

/** Where HEAD stands. Cheaper than `readCheckout`: the files are not looked at. */
export interface Head {
  /** Full name of the branch, or null when HEAD is detached or cannot be read. */
  branch: string | null;
  /** Null when the branch has no commit. */
  tip: string | null;
}

export async function readHead(git: Git): Promise<Head> {
  const [head, tip] = await Promise.all([git.run(["symbolic-ref", "-q", "HEAD"]), commitAt(git, "HEAD")]);
  return { branch: head.code === 0 ? head.stdout.toString("utf8").trim() : null, tip };
}

/** The commit that a name stands for, or null when it stands for none. */
export async function commitAt(git: Git, name: string): Promise<string | null> {
  const { code, stdout } = await git.run(["rev-parse", "-q", "--verify", `${name}^{commit}`]);
  return code === 0 ? stdout.toString("utf8").trim() : null;
}
