import type { PlaceholderValues } from "../../core/attempt/expand-argv.ts";
import { expandArgv } from "../../core/attempt/expand-argv.ts";
import type { Agent, AgentEnd, AgentRequest } from "../../ports/agent.ts";
import type { CheckEnd, Processes } from "../../ports/processes.ts";
import { type CommandLine, type CommandResult, readCommandLine } from "./command-events.ts";
import { cutOff, ended, failed, flooded } from "./ended.ts";
import { EXIT_GRACE_MS, LastWord } from "./last-word.ts";
import { runProgram } from "./run-program.ts";
import { turnWords } from "./turn-words.ts";

/**
 * Any program as an agent: the prompt on its standard input and in the brief file, the task's values in the command line
 * and in `LOCKSTEP_*` variables.
 *
 * Exit 0 is its terminal event; the checks decide what it is worth. A program that speaks JSONL (`readCommandLine`) must
 * also send a `result` line: exit 0 without one means that it broke off. The first one starts its grace to exit, then it
 * is ended; the last one counts. A result that says failed or blocked is believed at any exit code, one that says
 * succeeded only where no exit code of its own says otherwise. A program that was told to end before it gave a result has
 * not succeeded, whatever it says then.
 */
export function commandAgent(
  template: readonly string[],
  processes: Processes,
  { exitGraceMs = EXIT_GRACE_MS }: { exitGraceMs?: number } = {},
): Agent {
  return {
    run: async (request) => {
      const { argv, env } = expandArgv(template, valuesOf(request));
      const lastWord = new LastWord(request.signal, exitGraceMs);
      const said = new Said(request, lastWord);
      try {
        const exit = await runProgram(request, processes, {
          argv,
          env: { ...request.env, ...env, ...sessionEnv(request) },
          stdin: turnWords(request).anew,
          signal: lastWord.signal,
          hear: (line, leftOut) => said.hear(line, leftOut),
        });
        return { ...endOf(exit, said), ...said.used };
      } finally {
        lastWord.close();
      }
    },
  };
}

/** The values of a task's placeholders. */
export function valuesOf({ brief, briefFile }: AgentRequest): PlaceholderValues {
  const { id, slug, title, verify, files_owned, skill } = brief.task;
  return {
    task_id: id,
    slug,
    title,
    verify: verify.join(" && "),
    files: files_owned.join(" "),
    skill: skill ?? "",
    workspace: brief.workspace,
    brief: briefFile,
  };
}

/** By its own name the conversation that it may go on with. */
function sessionEnv({ turn }: AgentRequest): Record<string, string> {
  return turn?.session == null ? {} : { LOCKSTEP_SESSION: turn.session };
}

/** What a command was heard to say in JSONL. */
class Said {
  result: CommandResult | null = null;
  /** Whether any line was an event: then a result is owed. */
  speaksEvents = false;
  used: Pick<AgentEnd, "usage" | "cost_usd"> = { usage: null, cost_usd: null };
  private readonly request: AgentRequest;
  private readonly lastWord: LastWord;
  private isWarned = false;

  constructor(request: AgentRequest, lastWord: LastWord) {
    this.request = request;
    this.lastWord = lastWord;
  }

  /** It gave a result before anybody told it to end. */
  get isOwn(): boolean {
    return this.lastWord.isOwn;
  }

  hear(line: string, leftOut: number): void {
    if (leftOut > 0) {
      this.warn(`a line was too long to be read: ${leftOut} bytes of it were left out`);
      // Of a result that cannot be read at least this is known: it must not pass for a program that sends none.
      this.speaksEvents ||= RESULT_BEGINS.test(line);
    }
    const read: CommandLine = leftOut > 0 ? { kind: "output" } : readCommandLine(line);
    switch (read.kind) {
      case "output":
        return;
      case "malformed":
        this.warn(`a line is no event: ${read.why}`);
        return;
      case "result":
        this.speaksEvents = true;
        this.result = read.result;
        this.lastWord.said();
        return;
      case "event":
        this.speaksEvents = true;
        if (read.event.type === "usage") this.used = { usage: read.event.usage, cost_usd: read.event.cost_usd };
        this.request.tell(read.event);
    }
  }

  /** Once: a program with a mistake in it makes the same one in every line. */
  private warn(text: string): void {
    if (!this.isWarned) this.request.tell({ type: "note", text });
    this.isWarned = true;
  }
}

const RESULT_BEGINS = /^\s*\{\s*"type"\s*:\s*"result"/;

function endOf(exit: CheckEnd, { result, isOwn, speaksEvents }: Said): AgentEnd {
  const last = exit.tail.trim();
  const said = last === "" ? "" : `: ${last}`;
  if (exit.outcome === "killed" && !isOwn) return cutOff(last, exit.forced);
  if (exit.outcome === "error") return failed("crashed", `it could not be started${said}`);
  if (result !== null && result.outcome !== "succeeded") {
    const why = result.error ?? result.summary ?? `it said that it ${WORDS[result.outcome]}`;
    return result.outcome === "failed" ? failed("gave_up", why) : ended(result.outcome, why);
  }
  if (exit.flooded_at !== undefined && !isOwn) return failed("protocol", flooded(exit.flooded_at));
  if (exit.outcome === "red" && exit.flooded_at === undefined)
    return failed("crashed", `it ended with ${exit.exit_code}${said}`);
  if (result !== null) return ended("succeeded", null, result.summary);
  if (speaksEvents) return failed("crashed", NO_RESULT);
  return ended("succeeded", null, last === "" ? null : last);
}

const NO_RESULT = 'it ended without a result: a command that sends events ends with a line {"type":"result"}';

const WORDS = { failed: "failed", blocked: "is blocked" };
