/** A project whose work is published: its engine, a bare remote, and a GitHub that knows it. */

import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { githubPublisher } from "../../../src/adapters/publish/github/github-publisher.ts";
import type { TaskRow } from "../../../src/core/task/rows.ts";
import type { EngineContext } from "../../../src/engine/context.ts";
import type { WrittenTask } from "../../../src/plan-file/plan-schema.ts";
import { type FakeGithub, startFakeGithub, TOKEN } from "../../fixtures/fake-github.ts";
import { eventsIn, gitIn, type Lab, makeLab, runLab, taskRow } from "../../fixtures/lab.ts";

export interface PublishLab extends Lab {
  github: FakeGithub;
  /** The remote. */
  bare: string;
  /** Runs until the plan's run has ended, or until that task is as wanted: then the engine is told to stop. */
  runUntil(wanted: (row: TaskRow) => boolean, task?: string): Promise<void>;
}

export interface PublishWish {
  tasks: readonly WrittenTask[];
  agent: string;
  land?: Readonly<Record<string, unknown>>;
  publish?: Readonly<Record<string, unknown>>;
  defaults?: Readonly<Record<string, unknown>>;
}

/** Looks follow each other at once: no test waits for a minute. */
export const LOOK_MS = 30;

export async function publishLab({ land, publish, ...wish }: PublishWish): Promise<PublishLab> {
  const lab = await makeLab({
    ...wish,
    kind: "repository",
    config: {
      workspace: { mode: "worktree" },
      land: { mode: "pr", ...land },
      publish: { token_env: "LAB_FORGE", repository: "acme/widgets", ...publish },
    },
  });
  const bare = join(lab.aside, "remote.git");
  execFileSync("git", ["clone", "-q", "--bare", lab.root, bare]);
  gitIn(lab.root, "remote", "add", "origin", "https://github.test/acme/widgets.git");
  gitIn(lab.root, "config", `url.${bare}.insteadOf`, "https://github.test/acme/widgets.git");
  const github = await startFakeGithub(bare);
  onTestFinished(() => github.close());
  Object.assign(lab.context, publishing(lab, github.api_url));
  const runUntil: PublishLab["runUntil"] = async (wanted, task = "A") => {
    const stop = new AbortController();
    const unwatch = lab.context.store.watch(() => {
      void taskRow(lab, task).then((row) => wanted(row) && stop.abort());
    });
    if (!wanted(await taskRow(lab, task))) await runLab(lab, { stop: stop.signal });
    unwatch();
  };
  return { ...lab, github, bare, runUntil };
}

/** The ports as a process has them that finds GitHub at that address. */
export function publishing(lab: Pick<Lab, "root" | "context">, api_url: string): Partial<EngineContext> {
  const publisher = githubPublisher({
    ...{ dir: lab.root, remote: "origin", hooks: "skip", repository: "acme/widgets", api_url },
    ...{ env: { LAB_FORGE: TOKEN }, token_env: "LAB_FORGE", now: Date.now, limit_ms: 2_000 },
    ...{ retry_unit_ms: 1, is_paced: false },
  });
  const settings = { ...lab.context.settings, publishing: { draft: true, lookMs: LOOK_MS } };
  return { publisher, settings };
}

/** Types of events of one task, in order. */
export async function toldOf(lab: Lab, task = "A"): Promise<string[]> {
  return (await eventsIn(lab)).filter((event) => event.task === task).map(({ type }) => type);
}

export function isOpen({ state, publication }: TaskRow): boolean {
  return state === "blocked" && publication?.stage === "open";
}
