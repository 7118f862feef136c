/** A project of its own with a home of its own, and the built command line in it. */

import { execFile, execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { endBearers } from "../../fixtures/left-processes.ts";

/** Names another build to test than the one in `dist`. */
export const MAIN = process.env["LOCKSTEP_TEST_CLI"] ?? join(import.meta.dirname, "../../../dist/cli/main.cjs");

export interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

export interface LabOptions {
  /** A git repository with one commit; otherwise a plain directory. */
  git?: boolean;
  /** `lockstep.yaml`. */
  config?: string;
}

export class Lab {
  readonly base = realpathSync(mkdtempSync(join(tmpdir(), "lockstep-cli-")));
  readonly dir = join(this.base, "project");
  readonly env: NodeJS.ProcessEnv;

  constructor({ git = false, config = "agents: {}\n" }: LabOptions = {}) {
    this.env = {
      PATH: process.env["PATH"],
      HOME: join(this.base, "home"),
      XDG_STATE_HOME: join(this.base, "state"),
      GIT_CONFIG_GLOBAL: join(this.base, "gitconfig"),
      GIT_CONFIG_NOSYSTEM: "1",
      LANG: "C.UTF-8",
    };
    mkdirSync(this.dir, { recursive: true });
    mkdirSync(join(this.base, "home"));
    writeFileSync(
      join(this.base, "gitconfig"),
      "[user]\nname = Anna\nemail = anna@example.com\n[init]\ndefaultBranch = main\n",
    );
    if (config !== "") this.write("lockstep.yaml", config);
    if (git) {
      this.git("init", "--quiet");
      this.write("README", "a project\n");
      this.commit("begin");
    }
    onTestFinished(() => {
      endBearers(`HOME=${this.env["HOME"]}`);
      rmSync(this.base, { recursive: true, force: true, maxRetries: 5 });
    });
  }

  write(name: string, text: string | Buffer): void {
    const file = join(this.dir, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  git(...args: string[]): string {
    return execFileSync("git", args, { cwd: this.dir, env: this.env, encoding: "utf8" }).trim();
  }

  commit(message: string): void {
    this.git("add", "--all");
    this.git("commit", "--quiet", "-m", message);
  }

  /** Runs the command line to its end. */
  run(
    args: readonly string[],
    { env = {}, cwd = this.dir }: { env?: NodeJS.ProcessEnv; cwd?: string } = {},
  ): Promise<Ended> {
    return new Promise((resolve) => {
      const options = { cwd, env: { ...this.env, ...env }, maxBuffer: 64 * 1024 * 1024 };
      execFile(process.execPath, [MAIN, ...args], options, (error, stdout, stderr) => {
        const code = error === null ? 0 : Number(error.code ?? -1);
        resolve({ code, stdout, stderr });
      });
    });
  }

  /** The one document that a command prints with `--json`. */
  async json<T = Record<string, unknown>>(args: readonly string[], code = 0): Promise<T> {
    const at = args.indexOf("--");
    const ended = await this.run(at === -1 ? [...args, "--json"] : ["--json", ...args]);
    if (ended.code !== code)
      throw new Error(
        `lockstep ${args.join(" ")} ended with ${ended.code}, not ${code}: ${ended.stdout}${ended.stderr}`,
      );
    return JSON.parse(ended.stdout) as T;
  }

  /** A command that goes on; its lines come as they are written. */
  start(args: readonly string[]) {
    return spawn(process.execPath, [MAIN, ...args], {
      cwd: this.dir,
      env: this.env,
      stdio: ["ignore", "pipe", "pipe"],
    });
  }

  /** Loads a plan of JSON and gives the answer. */
  load(plan: unknown, file = "plan.json"): Promise<Loaded> {
    this.write(file, JSON.stringify(plan));
    return this.json<Loaded>(["plan", "load", file]);
  }
}

export interface Loaded {
  plan: string;
  revision: number;
  inserted: number;
  updated: number;
  retired: number;
  total: number;
}

export interface Claim {
  task: string;
  attempt: number;
  token: number;
  expires_at: string;
  workspace: string;
}

export interface Refusal {
  error: { code: string; message: string; hint: string; problems?: unknown[]; candidates?: string[] };
}
