import { promptOfTurn } from "../../core/attempt/prompt.ts";
import type { Agent, AgentRequest, AgentSpec, Turn } from "../../ports/agent.ts";
import type { Processes } from "../../ports/processes.ts";
import { claudeEnd } from "./claude-end.ts";
import { ClaudeHearing } from "./claude-hearing.ts";
import { claudeMcp } from "./claude-mcp.ts";
import { ClaudeTalk } from "./claude-talk.ts";
import { DECIDE_MS } from "./decide-time.ts";
import { EXIT_GRACE_MS } from "./last-word.ts";
import { runProgram } from "./run-program.ts";
import { SOFT_STEP_MS, softStop } from "./soft-stop.ts";

export interface ClaudeOptions {
  /** Between its result and its end by force. */
  exitGraceMs?: number;
  /** How long each of the words by which it is asked to end may take. */
  softStepMs?: number;
  /** How long after the first word of a login or a limit that turned it away it may still find a way. */
  decideMs?: number;
}

type ClaudeSpec = Extract<AgentSpec, { adapter: "claude" }>;

/** What it writes into a file stands whole in the line that asks about it: as long as an answer of its model, and escaped. */
const LINE_BYTES_MAX = 4 * 1024 * 1024;

/**
 * Drives Claude Code without a terminal (`claude -p`), in a conversation over its standard input and output, in which the
 * prompt goes. Its terminal event is `result`: `claudeEnd` has the rules. It asks about every call of a tool; one that
 * bypasses asks nobody (`bypassPermissions`).
 */
export function claudeAgent(
  spec: ClaudeSpec,
  processes: Processes,
  { exitGraceMs = EXIT_GRACE_MS, softStepMs = SOFT_STEP_MS, decideMs = DECIDE_MS }: ClaudeOptions = {},
): Agent {
  return {
    run: async (request) => {
      const { system = null, bypass: isBypassed = false } = spec;
      const talk = new ClaudeTalk({ messages: messagesFor(request), system, isBypassed, permit: request.permit });
      const stop = softStop(request.signal, [() => talk.interrupt(), () => talk.end()], softStepMs);
      const hearing = new ClaudeHearing(request, talk, stop.signal, { exitGraceMs, decideMs });
      try {
        const exit = await runProgram(request, processes, {
          argv: [...claudeArgv(spec), ...claudeMcp(request), ...resumed(request.turn)],
          env: claudeEnv(request.env, isBypassed),
          stdin: (input) => talk.open(input),
          signal: hearing.signal,
          lineBytesMax: LINE_BYTES_MAX,
          hear: (line, leftOut) => hearing.hear(line, leftOut),
        });
        return claudeEnd(hearing.said(), exit);
      } finally {
        hearing.close();
        stop.close();
      }
    },
  };
}

function claudeArgv({ program, model, effort, bypass, turns_max, budget_usd }: ClaudeSpec): string[] {
  return [
    ...program,
    "-p",
    "--input-format",
    "stream-json",
    "--output-format",
    "stream-json",
    // Without it the stream is refused.
    "--verbose",
    ...(bypass ? BYPASSING : ASKING),
    ...(model === null ? [] : ["--model", model]),
    ...(effort === null ? [] : ["--effort", effort]),
    ...(turns_max === undefined ? [] : ["--max-turns", String(turns_max)]),
    ...(budget_usd === undefined ? [] : ["--max-budget-usd", String(budget_usd)]),
  ];
}

const BYPASSING = ["--permission-mode", "bypassPermissions"];

/** What it asks comes over its standard output. */
const ASKING = ["--permission-mode", "default", "--permission-prompt-tool", "stdio"];

/** The conversation that an interrupted turn was in, if it had begun. */
function resumed(turn: Turn | null): string[] {
  return turn?.session == null ? [] : ["--resume", turn.session];
}

/** In its own conversation it knows its task; in a new one it is told the task again. */
function messagesFor({ brief, turn }: AgentRequest): string[] {
  if (turn?.session == null) return [promptOfTurn(brief.prompt, turn?.message ?? null)];
  return turn.compact ? ["/compact", turn.message] : [turn.message];
}

/** How a session of it tells the programs that it starts where they are; one that believes it is inside another refuses. */
const OUTER_SESSION = ["CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_PORT", "CLAUDE_CODE_SESSION_ID"];

function claudeEnv(env: Record<string, string>, isBypassed: boolean): Record<string, string> {
  const own = Object.fromEntries(Object.entries(env).filter(([name]) => !OUTER_SESSION.includes(name)));
  // Root may not work without asking unless it says that the machine is there for this.
  const sandbox = isBypassed && process.getuid?.() === 0 ? { IS_SANDBOX: "1" } : {};
  // An attempt that replaces the program would do so under all the others.
  return { DISABLE_AUTOUPDATER: "1", ...sandbox, ...own };
}
