import type { Agent, AgentRequest, AgentSpec } from "../../ports/agent.ts";
import type { Processes } from "../../ports/processes.ts";
import { codexEnd } from "./codex-end.ts";
import { CodexHearing } from "./codex-hearing.ts";
import { CodexTalk } from "./codex-talk.ts";
import { DECIDE_MS } from "./decide-time.ts";
import { EXIT_GRACE_MS } from "./last-word.ts";
import { runProgram } from "./run-program.ts";
import { SOFT_STEP_MS, softStop } from "./soft-stop.ts";
import { turnWords } from "./turn-words.ts";

type CodexSpec = Extract<AgentSpec, { adapter: "codex" }>;

export interface CodexOptions {
  /** Between the end of its turn and its end by force. */
  exitGraceMs?: number;
  /** How long each of the words by which it is asked to end may take. */
  softStepMs?: number;
  /** How long after the first word of a login or a limit that turned it away it may still find a way. */
  decideMs?: number;
}

/**
 * Drives Codex by its `app-server`: a conversation over its standard input and output, in which the prompt goes. Its
 * terminal event is `turn/completed`: `codexEnd` has the rules. It works without a sandbox of its own, and asks about each
 * command and change of files; one that bypasses asks nobody.
 */
export function codexAgent(
  spec: CodexSpec,
  processes: Processes,
  { exitGraceMs = EXIT_GRACE_MS, softStepMs = SOFT_STEP_MS, decideMs = DECIDE_MS }: CodexOptions = {},
): Agent {
  return {
    run: async (request) => {
      const talk = new CodexTalk(wishOf(spec, request));
      const stop = softStop(request.signal, [() => talk.interrupt(), () => talk.end()], softStepMs);
      const hearing = new CodexHearing(request, talk, stop.signal, {
        ...{ exitGraceMs, decideMs, turnsMax: spec.turns_max ?? null },
      });
      const { notices } = request;
      const tell = (): void => talk.steer(() => notices?.take() ?? []);
      notices?.on(tell);
      try {
        const exit = await runProgram(request, processes, {
          argv: codexArgv(spec, request.env),
          env: codexEnv(request.env),
          stdin: (input) => talk.open(input),
          signal: hearing.signal,
          hear: (line, leftOut) => {
            hearing.hear(line, leftOut);
            // What there was before its turn began is said as soon as it has.
            tell();
          },
        });
        return codexEnd(hearing.said(), exit);
      } finally {
        hearing.close();
        stop.close();
      }
    },
  };
}

/** In its own conversation it knows its task; in a new one it is told the task again. */
function wishOf({ model, effort, system, bypass }: CodexSpec, { brief, turn, env, mcp, tell, permit }: AgentRequest) {
  const words = turnWords({ brief, turn });
  const compacts = turn?.compact === true;
  const steering = { system: system ?? null, isBypassed: bypass ?? false, permit };
  const apiKey = apiKeyIn(env);
  return {
    cwd: brief.workspace,
    model,
    effort,
    ...steering,
    compacts,
    apiKey,
    thread: turn?.session ?? null,
    words,
    mcp,
    tell,
  };
}

/** The server takes no key from its environment, as `codex exec` does: it is told one. */
function apiKeyIn(env: Record<string, string>): string | null {
  return env["CODEX_API_KEY"] || null;
}

/** A key that it is told stays in its memory, so that the login of its user is not overwritten. */
function codexArgv({ program }: CodexSpec, env: Record<string, string>): string[] {
  const keptNowhere = apiKeyIn(env) === null ? [] : ["-c", 'cli_auth_credentials_store="ephemeral"'];
  return [...program, ...keptNowhere, "app-server"];
}

/** How it tells the programs that it starts where they are: what runs inside another Codex is not that one. */
const OUTER_SESSION = [
  "CODEX_CI",
  "CODEX_SANDBOX",
  "CODEX_SANDBOX_NETWORK_DISABLED",
  "CODEX_SESSION_ID",
  "CODEX_THREAD_ID",
  "CODEX_TOOL_CALL_ID",
];

function codexEnv(env: Record<string, string>): Record<string, string> {
  const own = Object.fromEntries(Object.entries(env).filter(([name]) => !OUTER_SESSION.includes(name)));
  // What it says on standard error stands in reasons for people.
  return { NO_COLOR: "1", ...own };
}
