import type { Agent, AgentEnd, AgentRequest, AgentSpec } from "../../ports/agent.ts";
import type { Processes } from "../../ports/processes.ts";
import { BACKGROUND_TIMES, type BackgroundTimes } from "./claude-background.ts";
import { claudeEnd } from "./claude-end.ts";
import { ClaudeHearing } from "./claude-hearing.ts";
import { claudeMcp, removeClaudeMcp } from "./claude-mcp.ts";
import { ClaudeMeter } from "./claude-meter.ts";
import { spentBefore } from "./claude-spent.ts";
import { ClaudeTalk } from "./claude-talk.ts";
import { DECIDE_MS } from "./decide-time.ts";
import { EXIT_GRACE_MS } from "./last-word.ts";
import { runProgram } from "./run-program.ts";
import { SOFT_STEP_MS, softStop } from "./soft-stop.ts";
import { beginsAnew, turnWords } from "./turn-words.ts";

export interface ClaudeOptions {
  /** Between its result and its end by force. */
  exitGraceMs?: number;
  /** How long each of the words by which it is asked to end may take. */
  softStepMs?: number;
  /** How long after the first word of a login or a limit that turned it away it may still find a way. */
  decideMs?: number;
  /** How long its last result is held back for what is at work in the background. */
  background?: BackgroundTimes;
}

type ClaudeSpec = Extract<AgentSpec, { adapter: "claude" }>;

/** What it writes into a file stands whole in the line that asks about it: as long as an answer of its model, and escaped. */
const LINE_BYTES_MAX = 4 * 1024 * 1024;

/**
 * Drives Claude Code without a terminal (`claude -p`), in a conversation over its standard input and output, in which the
 * prompt goes. Its terminal event is `result`: `claudeEnd` has the rules. It asks about every call of a tool; one that
 * bypasses asks nobody (`bypassPermissions`).
 */
export function claudeAgent(spec: ClaudeSpec, processes: Processes, options: ClaudeOptions = {}): Agent {
  const play = (request: AgentRequest, session: string | null) => invoke(spec, processes, options, request, session);
  return {
    run: async (request) => {
      const session = request.turn?.session ?? null;
      const { end, lost } = await play(request, session);
      if (lost === null || request.signal.aborted) return end;
      request.tell(beginsAnew(lost));
      return (await play(request, null)).end;
    },
  };
}

/** One run of its program. `lost`: why it did not begin, where it does not know `session` any more. */
async function invoke(
  spec: ClaudeSpec,
  processes: Processes,
  options: ClaudeOptions,
  request: AgentRequest,
  session: string | null,
): Promise<{ end: AgentEnd; lost: string | null }> {
  const { exitGraceMs = EXIT_GRACE_MS, softStepMs = SOFT_STEP_MS, decideMs = DECIDE_MS } = options;
  const { background = BACKGROUND_TIMES } = options;
  const { system = null, bypass: isBypassed = false } = spec;
  const messages = messagesFor(request, session);
  const talk = new ClaudeTalk({ messages, system, isBypassed, permit: request.permit });
  const meter = new ClaudeMeter(spentBefore(request.env, session));
  const stop = softStop(request.signal, [() => talk.interrupt(), () => talk.end()], softStepMs);
  const isResuming = session !== null;
  const times = { exitGraceMs, decideMs, background, isResuming };
  const hearing = new ClaudeHearing(request, talk, meter, stop.signal, times);
  try {
    const exit = await runProgram(request, processes, {
      argv: [...claudeArgv(spec), ...claudeMcp(request), ...(isResuming ? ["--resume", session] : [])],
      env: claudeEnv(request.env, isBypassed),
      stdin: (input) => talk.open(input),
      signal: hearing.signal,
      lineBytesMax: LINE_BYTES_MAX,
      hear: (line, leftOut) => hearing.hear(line, leftOut),
    });
    return { end: claudeEnd(hearing.said(), exit), lost: hearing.lost };
  } finally {
    hearing.close();
    stop.close();
    removeClaudeMcp(request);
  }
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

/** In its own conversation it knows its task; in a new one it is told the task again. */
function messagesFor(request: AgentRequest, session: string | null): string[] {
  const { resumed, anew } = turnWords(request);
  if (session === null) return [anew];
  return request.turn?.compact ? ["/compact", resumed] : [resumed];
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
