import { promptOfTurn } from "../../core/attempt/prompt.ts";
import type { Agent, AgentRequest, AgentSpec, Turn } from "../../ports/agent.ts";
import type { Processes } from "../../ports/processes.ts";
import { type ClaudeSaid, claudeEnd } from "./claude-end.ts";
import { claudeMcp } from "./claude-mcp.ts";
import { readClaudeLine } from "./claude-stream.ts";
import { EXIT_GRACE_MS, LastWord } from "./last-word.ts";
import { plainText } from "./plain-text.ts";
import { runProgram } from "./run-program.ts";

/** It renews an expired login by itself after the first refusal; after the second it never succeeds, but tries for minutes. */
const REFUSALS_MAX = 2;

/** Of what it writes beside its events, this many of the last lines stand in an error. */
const STRAY_LINES = 5;

export interface ClaudeOptions {
  /** Between its result and its end by force. */
  exitGraceMs?: number;
}

/**
 * Drives Claude Code without a terminal (`claude -p`), the prompt on its standard input. Its terminal event is `result`:
 * `claudeEnd` has the rules. It works without asking for permission (`bypassPermissions`): the workspace is the
 * attempt's own, and what leaves it is caught when the work is checked.
 */
export function claudeAgent(
  spec: Extract<AgentSpec, { adapter: "claude" }>,
  processes: Processes,
  { exitGraceMs = EXIT_GRACE_MS }: ClaudeOptions = {},
): Agent {
  return {
    run: async (request) => {
      const hearing = new Hearing(request, exitGraceMs);
      try {
        const exit = await runProgram(request, processes, {
          argv: [...claudeArgv(spec), ...claudeMcp(request), ...resumed(request.turn)],
          env: claudeEnv(request.env),
          stdin: wordsFor(request),
          signal: hearing.signal,
          hear: (line, leftOut) => hearing.hear(line, leftOut),
        });
        return claudeEnd(hearing.said(), exit);
      } finally {
        hearing.close();
      }
    },
  };
}

function claudeArgv({ program, model, effort }: Extract<AgentSpec, { adapter: "claude" }>): string[] {
  return [
    ...program,
    "-p",
    "--output-format",
    "stream-json",
    // Without it the stream is refused.
    "--verbose",
    "--permission-mode",
    "bypassPermissions",
    ...(model === null ? [] : ["--model", model]),
    ...(effort === null ? [] : ["--effort", effort]),
  ];
}

/** The conversation that an interrupted turn was in, if it had begun. */
function resumed(turn: Turn | null): string[] {
  return turn?.session == null ? [] : ["--resume", turn.session];
}

/** In its own conversation it knows its task; in a new one it is told the task again. */
function wordsFor({ brief, turn }: AgentRequest): string {
  return turn?.session == null ? promptOfTurn(brief.prompt, turn?.message ?? null) : turn.message;
}

/** How a session of it tells the programs that it starts where they are; one that believes it is inside another refuses. */
const OUTER_SESSION = ["CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_PORT", "CLAUDE_CODE_SESSION_ID"];

function claudeEnv(env: Record<string, string>): Record<string, string> {
  const own = Object.fromEntries(Object.entries(env).filter(([name]) => !OUTER_SESSION.includes(name)));
  // Root may not work without asking unless it says that the machine is there for this.
  const sandbox = process.getuid?.() === 0 ? { IS_SANDBOX: "1" } : {};
  // An attempt that replaces the program would do so under all the others.
  return { DISABLE_AUTOUPDATER: "1", ...sandbox, ...own };
}

/** What one attempt is heard to say, and when that is enough. */
class Hearing {
  private readonly request: AgentRequest;
  private readonly lastWord: LastWord;
  private readonly stray: string[] = [];
  private result: ClaudeSaid["result"] = null;
  private limit: ClaudeSaid["limit"] = null;
  private isCut = false;
  private isRefused = false;

  constructor(request: AgentRequest, exitGraceMs: number) {
    this.request = request;
    this.lastWord = new LastWord(request.signal, exitGraceMs);
  }

  get signal(): AbortSignal {
    return this.lastWord.signal;
  }

  hear(line: string, leftOut: number): void {
    if (leftOut > 0) {
      this.request.tell({ type: "note", text: `a line was too long to be read: ${leftOut} bytes of it were left out` });
      return;
    }
    const { is_event, events, result, limit, refused, isCut } = readClaudeLine(line);
    if (!is_event) this.keepStray(line);
    for (const event of events) this.request.tell(event);
    if (limit !== undefined) this.limit = limit;
    if (isCut !== undefined) this.isCut = isCut;
    if (refused !== undefined && refused.attempt >= REFUSALS_MAX && this.result === null) {
      this.isRefused = true;
      this.lastWord.end();
    }
    if (result !== undefined && this.result === null) {
      this.result = result;
      this.lastWord.said();
    }
  }

  said(): ClaudeSaid {
    const { result, limit, isCut, isRefused, lastWord } = this;
    return { result, is_own: lastWord.isOwn, limit, isCut, isRefused, stray: plainText(this.stray.join("\n")) };
  }

  close(): void {
    this.lastWord.close();
  }

  private keepStray(line: string): void {
    if (line.trim() === "") return;
    this.stray.push(plainText(line.trimEnd()));
    if (this.stray.length > STRAY_LINES) this.stray.shift();
  }
}
