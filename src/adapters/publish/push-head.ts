import type { PublishRefusal, PublishRequest } from "../../ports/publisher.ts";
import { isRefusal, LATER, refusal } from "./refusal.ts";
import { type Remote, remoteRefs, remoteRefusal, said } from "./remote.ts";
import { runGit } from "./run-git.ts";

/**
 * Brings the remote's branch to the commit and answers what it stands at, read back. Only a branch that does not exist,
 * or stands at a commit that lockstep pushed, is moved: the lease holds it to that very commit.
 */
export async function pushHead(
  remote: Remote,
  { head, sha, ours }: Pick<PublishRequest, "head" | "sha" | "ours">,
  signal: AbortSignal,
): Promise<string | PublishRefusal> {
  const ref = `refs/heads/${head}`;
  const before = await remoteRefs(remote, [ref], signal);
  if (isRefusal(before)) return before;
  const stood = before.shas[ref] ?? null;
  if (stood === sha) return sha;
  if (stood !== null && !ours.includes(stood)) return movedByOthers(head, stood);
  const lease = `--force-with-lease=${ref}:${stood ?? ""}`;
  const args = ["push", "--porcelain", "--no-verify", "--no-follow-tags", "--recurse-submodules=no", lease];
  if (remote.hooks === "run") args.splice(args.indexOf("--no-verify"), 1);
  const pushed = await runGit(remote, [...args, remote.remote, `${sha}:${ref}`], signal);
  const after = await remoteRefs(remote, [ref], signal);
  if (isRefusal(after)) return pushed.code === 0 ? after : pushRefusal(remote, head, pushed.stdout + pushed.stderr);
  const stands = after.shas[ref] ?? null;
  // The answer of a push may be lost, or its connection: what the remote has is what counts.
  if (stands === sha) return sha;
  if (stands !== stood && stands !== null && !ours.includes(stands)) return movedByOthers(head, stands);
  if (pushed.code !== 0) return pushRefusal(remote, head, pushed.stdout + pushed.stderr);
  return refusal(
    "rejected_push",
    `The push of ${head} was said to have worked, and the remote has it at ${stands ?? "no commit"} instead of ${sha}.`,
    "See what guards the branch on the remote: a hook, a mirror or a rule of it.",
  );
}

function movedByOthers(head: string, sha: string): PublishRefusal {
  return refusal(
    "conflict",
    `${head} stands at ${sha} on the remote, which lockstep did not push.`,
    "Take that commit into the task's work, or delete the branch on the remote.",
    { retriable: false },
  );
}

function pushRefusal(remote: Remote, head: string, output: string): PublishRefusal {
  if (/\(stale info\)|cannot lock ref|failed to update ref|reference already exists/.test(output)) {
    return refusal("conflict", `${head} was moved on the remote in the same moment: ${said(remote, output)}`, LATER);
  }
  if (/\[remote rejected\]|\[rejected\]|pre-receive hook declined|protected branch|GH0\d\d/.test(output)) {
    const text = `The remote did not take ${head}: ${said(remote, output)}`;
    return refusal("rejected_push", text, "Change what the remote refuses, or its rules, then retry the task.");
  }
  if (/src refspec|not a valid object|bad object|failed to push some refs to.*missing/.test(output)) {
    return refusal(
      "invalid",
      `${head} cannot be pushed: ${said(remote, output)}`,
      "See whether the commit exists here.",
    );
  }
  return remoteRefusal(remote, output);
}
