/** A project whose work is published: its engine, a bare remote, and a GitHub that knows it. */

import { execFileSync } from "node:child_process";
import { appendFileSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { githubPublisher } from "../../../src/adapters/publish/github/github-publisher.ts";
import type { TaskRow } from "../../../src/core/task/rows.ts";
import type { EngineContext } from "../../../src/engine/context.ts";
import type { WrittenTask } from "../../../src/plan-file/plan-schema.ts";
import type { Brief } from "../../../src/ports/agent.ts";
import { type FakeGithub, startFakeGithub, TOKEN } from "../../fixtures/fake-github.ts";
import type { FakeRepository } from "../../fixtures/fake-github-state.ts";
import { eventsIn, gitIn, type Lab, makeLab, runLab, taskRow } from "../../fixtures/lab.ts";

export interface PublishLab extends Lab {
  github: FakeGithub;
  repository: FakeRepository;
  /** What the attempts were given, in order. */
  briefs: Brief[];
  /** Runs until that task is as wanted, then the engine is told to stop. */
  runUntil(wanted: (row: TaskRow) => boolean, task?: string): Promise<TaskRow>;
}

export interface PublishWish {
  tasks: readonly WrittenTask[];
  /** What bash runs as an agent; absent: each attempt adds a line to a file that has its task's name. */
  agent?: string;
  land?: Readonly<Record<string, unknown>>;
  publish?: Readonly<Record<string, unknown>>;
}

/** Looks follow each other at once: no test waits for a minute. */
const LOOK_MS = 30;

export const HEAD = "lockstep-work/lab/A";
export const TASK = { id: "A", title: "Cart totals", labels: ["issue:12"], verify: "test -s A.txt" };

export async function publishLab({ land, publish, agent, tasks }: PublishWish): Promise<PublishLab> {
  const aside = realpathSync(mkdtempSync(join(tmpdir(), "lockstep forge ")));
  const bare = join(aside, "remote.git");
  const github = await startFakeGithub(bare);
  onTestFinished(async () => {
    await github.close();
    rmSync(aside, { recursive: true, force: true });
  });
  const briefs: Brief[] = [];
  const dispatch = async (brief: Brief) => {
    briefs.push(brief);
    appendFileSync(join(brief.workspace, `${brief.task.id}.txt`), `line of ${brief.attempt}\n`);
    return { summary: `Adds a line, as ${brief.attempt}.` };
  };
  const forge = { token_env: "LAB_FORGE", repository: "acme/widgets", api_url: github.api_url };
  const config = {
    ...{ workspace: { mode: "worktree" }, land: { mode: "pr", ...land }, publish: { ...forge, ...publish } },
  };
  const lab = await makeLab({ kind: "repository", tasks, config, ...(agent === undefined ? { dispatch } : { agent }) });
  lab.env["LAB_FORGE"] = TOKEN;
  execFileSync("git", ["clone", "-q", "--bare", lab.root, bare]);
  gitIn(lab.root, "remote", "add", "origin", "https://github.test/acme/widgets.git");
  gitIn(lab.root, "config", `url.${bare}.insteadOf`, "https://github.test/acme/widgets.git");
  Object.assign(lab.context, atOnce(lab, github.api_url));
  const runUntil: PublishLab["runUntil"] = async (wanted, task = "A") => {
    const stop = new AbortController();
    const unwatch = lab.context.store.watch(() => void taskRow(lab, task).then((row) => wanted(row) && stop.abort()));
    if (!wanted(await taskRow(lab, task))) await runLab(lab, { stop: stop.signal });
    unwatch();
    return taskRow(lab, task);
  };
  return { ...lab, github, repository: github.repository, briefs, runUntil };
}

/** The publisher without the pauses that GitHub asks for, and looks that follow each other at once. */
export function atOnce(lab: Pick<Lab, "root" | "context">, api_url: string): Partial<EngineContext> {
  const publisher = githubPublisher({
    ...{ dir: lab.root, remote: "origin", hooks: "skip", repository: "acme/widgets", api_url },
    ...{ env: { LAB_FORGE: TOKEN }, token_env: "LAB_FORGE", now: Date.now, limit_ms: 2_000 },
    ...{ retry_unit_ms: 1, is_paced: false },
  });
  return { publisher, settings: { ...lab.context.settings, publishing: { draft: true, lookMs: LOOK_MS } } };
}

/** Types of events of one task, in order. */
export async function toldOf(lab: Lab, task = "A"): Promise<string[]> {
  return (await eventsIn(lab)).filter((event) => event.task === task).map(({ type }) => type);
}

export function isOpen({ state, publication }: TaskRow): boolean {
  return state === "blocked" && publication?.stage === "open";
}

/** Open, with the work of that attempt. */
export function isOpenAs(attempt: number): (row: TaskRow) => boolean {
  return (row) => isOpen(row) && row.attempts === attempt;
}
