import type { PublishRefusal } from "../../ports/publisher.ts";
import { LATER, refusal } from "./refusal.ts";
import { type GitPlace, runGit } from "./run-git.ts";

export interface Remote extends GitPlace {
  /** Its name in the repository's configuration. */
  remote: string;
  /** Taken out of whatever is told. */
  redact(text: string): string;
}

/** Asking for refs by name takes one round; a remote that does not answer it in that time is away. */
const LIMIT_MS = 60_000;

/** What these full names stand at on the remote; one that does not exist is absent. Changes nothing. */
export async function remoteRefs(
  remote: Remote,
  refs: readonly string[],
  signal: AbortSignal,
): Promise<{ shas: Record<string, string> } | PublishRefusal> {
  const limit_ms = Math.min(LIMIT_MS, remote.limit_ms ?? LIMIT_MS);
  const { code, stdout, stderr } = await runGit({ ...remote, limit_ms }, ["ls-remote", remote.remote, ...refs], signal);
  if (code !== 0) return remoteRefusal(remote, stderr);
  const lines = stdout.split("\n").map((line) => line.split("\t"));
  // A pattern without a slash in front matches the end of longer names too.
  const exact = lines.flatMap(([sha, ref]) => (sha && ref !== undefined && refs.includes(ref) ? [[ref, sha]] : []));
  return { shas: Object.fromEntries(exact) as Record<string, string> };
}

const NO_ENTRY =
  /Authentication failed|could not read (Username|Password)|Permission denied|Permission to .* denied|returned error: 40[13]|Invalid username|Host key verification failed|terminal prompts disabled/i;
const NOTHING_THERE =
  /returned error: 404|Repository not found|does not appear to be a git repository|repository '.*' not found|No such remote|No such file or directory/i;

/** What git printed when it did not reach the remote's refs. */
export function remoteRefusal(remote: Remote, output: string): PublishRefusal {
  const text = `The remote ${remote.remote} cannot be reached: ${said(remote, output)}`;
  if (NO_ENTRY.test(output)) {
    return refusal(
      "forbidden",
      text,
      "Give git credentials for the remote: a helper, an ssh key or the token's variable.",
    );
  }
  if (NOTHING_THERE.test(output)) {
    return refusal(
      "not_found",
      text,
      `See \`git remote get-url ${remote.remote}\`, and whether the credentials may see it.`,
    );
  }
  return refusal("unavailable", text, LATER);
}

/** The lines that say something, without what the remote draws around them. */
export function said(remote: Remote, output: string): string {
  const lines = output.split("\n").map((line) => line.replace(/^(remote|fatal|error|hint):\s*/, "").trim());
  const kept = lines.filter((line) => line !== "" && !/^(To |Done$|Everything up-to-date)/.test(line));
  return remote.redact(kept.join("; ")) || "git said nothing";
}
