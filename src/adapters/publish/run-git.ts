import { spawn } from "node:child_process";

/** A first push of a large repository over a slow line; whatever takes longer waits for something that never comes. */
const TIME_LIMIT_MS = 10 * 60_000;

/** A remote's refs are asked for by name, so that little is printed. */
const OUTPUT_BYTES_MAX = 1024 * 1024;

/** Variables that would point git at another repository or configuration than the one named. */
const STRIPPED =
  /^GIT_(DIR|WORK_TREE|COMMON_DIR|INDEX_FILE|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|NAMESPACE|CONFIG.*|PREFIX|SHALLOW_FILE|PUSH_OPTION.*)$/;

export interface GitEnd {
  /** Null: it could not be started, was ended, or took too long; `stderr` says so. */
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface GitPlace {
  /** Absolute path of a checkout of the repository, or of the repository itself. */
  dir: string;
  /** `run` runs the hooks of git that the user has, such as the one by which LFS pushes its files. */
  hooks: "run" | "skip";
  /** Variables that git gets beside lockstep's own. */
  env: Record<string, string>;
  limit_ms?: number;
}

/** Runs git where it never asks anybody, and gives its end, whatever it is. */
export function runGit(place: GitPlace, args: string[], signal: AbortSignal): Promise<GitEnd> {
  return new Promise((resolve) => {
    const hooks = place.hooks === "skip" ? ["-c", "core.hooksPath=/dev/null"] : [];
    const limit = AbortSignal.timeout(place.limit_ms ?? TIME_LIMIT_MS);
    // A group of its own: git's helpers for a transport are its children, and would hold its streams open.
    const child = spawn("git", [...hooks, ...args], {
      cwd: place.dir,
      env: environment(place.env),
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    const kill = (): void => killGroup(child.pid);
    const over = AbortSignal.any([signal, limit]);
    const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
    const end = (code: number | null, why: string): void => {
      over.removeEventListener("abort", kill);
      resolve({ code, stdout: stdout.text(), stderr: why + stderr.text() });
    };
    child.once("error", (error) => end(null, `git cannot be started: ${error.message}\n`));
    child.once("close", (code) => {
      if (signal.aborted) end(null, "git was broken off\n");
      else if (limit.aborted) end(null, "git was not done in time: timed out\n");
      else end(code, "");
    });
    over.addEventListener("abort", kill);
    if (over.aborted) kill();
  });
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** What goes above the bound is left out: it is read for a few lines only. */
function collect(stream: NodeJS.ReadableStream): { text(): string } {
  const chunks: Buffer[] = [];
  let size = 0;
  stream.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size <= OUTPUT_BYTES_MAX) chunks.push(chunk);
  });
  return { text: () => Buffer.concat(chunks).toString("utf8") };
}

function environment(own: Record<string, string>): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !STRIPPED.test(name));
  return {
    ...Object.fromEntries(inherited),
    ...own,
    LC_ALL: "C",
    GIT_TERMINAL_PROMPT: "0",
    // No window asks for a password either: nobody is there to answer. Without a terminal ssh asks nobody by itself.
    SSH_ASKPASS: "",
    SSH_ASKPASS_REQUIRE: "never",
    GIT_OPTIONAL_LOCKS: "0",
  };
}
