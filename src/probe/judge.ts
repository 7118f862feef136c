/** From what was seen to what was kept: one finding for each clause. Pure. */

import type { Usage } from "../core/task/rows.ts";
import type { AgentEvent } from "../ports/agent.ts";
import { CLAUSES, type Clause, type ClauseFinding } from "../ports/agent-probe.ts";
import type { UsageTold } from "./kits.ts";
import { RESETS_AT, SCRIPTS, type Seen, TOLD, type TurnSeen, WORDS, WORK_ANSWERS } from "./seen.ts";

/** What the program, with what drives it, is held to. */
export interface Promises {
  /** It asks before it uses a tool. */
  asksLeave: boolean;
  /** It uses the servers of tools that it is given. */
  takesServers: boolean;
  usage: UsageTold;
  tellsLimit: boolean;
  tellsReset: boolean;
}

/** An adapter decides about a limit within 20 s of its first clear sign; before that its program has to start. Milliseconds. */
export const LIMIT_MS_MAX = 40_000;

type Finding = Omit<ClauseFinding, "clause">;

const kept = (seen: string): Finding => ({ result: "kept", seen });
const broken = (seen: string): Finding => ({ result: "broken", seen });
const notAsked = (seen: string): Finding => ({ result: "not_asked", seen });
const notSeen = (seen: string): Finding => ({ result: "not_seen", seen });

export function judge(seen: Seen, promises: Promises): ClauseFinding[] {
  return CLAUSES.map((clause) => {
    const finding = JUDGES[clause](seen, promises);
    const isShort = finding.result === "broken" && seen[TURN_OF[clause]]?.isShort === true;
    return { clause, ...(isShort ? notSeen("no time was left for it") : finding) };
  });
}

/** The turn in which a clause shows. */
const TURN_OF: Record<Clause, "work" | "resumed" | "stopped" | "limited"> = {
  ...{ stream: "work", stdin: "work", permission: "work", mcp: "work", usage: "work" },
  ...{ resume: "resumed", stop: "stopped", limit: "limited" },
};

const JUDGES: Record<Clause, (seen: Seen, promises: Promises) => Finding> = {
  stream,
  stdin: ({ heard, prompt }) => {
    const first = heard.find(({ script }) => script === SCRIPTS.work);
    if (first === undefined) return notSeen("its model was not asked");
    if (first.prompt.includes(prompt.trim())) return kept("the prompt reached the model word for word");
    return broken("the prompt reached the model changed");
  },
  permission,
  mcp: ({ mcpReached, mcpWords, heard }, { takesServers }) => {
    if (mcpWords.includes(WORDS.echoed)) return kept("a tool of a server that it was given was called");
    if (!takesServers && !mcpReached) return notAsked("not asked: it is given no server of tools");
    if (answersTo(heard, SCRIPTS.work) < 3) return notSeen("its first turn did not come so far");
    if (!mcpReached) return broken("it did not speak to the server of tools that it was given");
    return broken("it spoke to the server that it was given, and did not call its tool");
  },
  usage,
  resume,
  stop: ({ stopped, atWork, leftovers }) => {
    if (!atWork) return notSeen(`its tool did not begin: ${endOf(stopped)}`);
    if (stopped.end === null) return broken(`told to stop, it had not ended after ${seconds(stopped.ms)}`);
    if (stopped.end.outcome !== "interrupted") return broken(`told to stop, it ${endOf(stopped)}`);
    if (stopped.end.killed === true) return broken("told to stop, it did not end, and was killed");
    if (leftovers > 0) return broken(`it left ${leftovers} ${leftovers === 1 ? "process" : "processes"} running`);
    return kept("it stopped when it was told to, and left nothing running");
  },
  limit,
};

function stream({ work, heard, ran }: Seen): Finding {
  const at = (isMeant: (event: AgentEvent) => boolean): number => work.events.findIndex(isMeant);
  const session = at(({ type }) => type === "session");
  const text = at((event) => event.type === "text" && event.text.includes(WORDS.first));
  const tool = at(({ type }) => type === "tool");
  const isAsked = answersTo(heard, SCRIPTS.work) > 0;
  if (session === -1 && !isAsked) return broken(`no session began: it ${endOf(work)}`);
  if (!isAsked) return broken(`its model was not asked: it ${endOf(work)}`);
  if (session === -1) return broken("it did not name its conversation");
  if (text === -1) return broken("the words of its model were not told");
  if (tool === -1) return broken("its use of a tool was not told");
  if (!ran) return broken("its tool was told, but did nothing");
  // What it says before it uses a tool may be told when it is whole, and the tool has begun by then.
  if (session > Math.min(text, tool)) return broken("its conversation was named only after what it said and did");
  if (work.end?.outcome !== "succeeded") return broken(`its turn had no good end: it ${endOf(work)}`);
  if (work.end.summary?.includes(WORDS.last) !== true)
    return broken(`its last words were ${JSON.stringify(work.end.summary)}, not ${JSON.stringify(WORDS.last)}`);
  return kept("conversation, words, tools and end were told");
}

function permission({ asked, deniedAsked, deniedRan, work, heard }: Seen, { asksLeave }: Promises): Finding {
  if (asked === 0 && !asksLeave) return notAsked("not asked: it uses its tools without a word");
  if (answersTo(heard, SCRIPTS.work) < 3) return notSeen("its first turn did not come so far");
  if (asked === 0) return broken("it used its tools without a word");
  if (deniedRan) return broken("a command that was denied ran");
  if (!deniedAsked) return broken("it asked about some of its tools, but not about a command that was to be denied");
  // How its turn ended after that is another clause's question.
  if (answersTo(heard, SCRIPTS.work) < WORK_ANSWERS) return broken(`after a command was denied it ${endOf(work)}`);
  return kept("a command that was denied did not run, and its turn went on");
}

function usage({ work, resumed }: Seen, { usage: told }: Promises): Finding {
  if (told === "none") return notAsked("not asked: it does not tell the tokens of a turn");
  if (work.end?.outcome !== "succeeded") return notSeen("its first turn had no good end");
  const turns = [
    { turn: work, answers: WORK_ANSWERS, name: "its first turn" },
    ...(resumed?.end?.outcome === "succeeded" ? [{ turn: resumed, answers: 1, name: "the turn after it" }] : []),
  ];
  for (const { turn, answers, name } of turns) {
    const [is, expected] = [turn.end?.usage ?? null, costOf(answers, told)];
    if (is === null) return broken(`it told no tokens of ${name}`);
    if (!isSame(is, expected)) return broken(`of ${name} it told ${inWords(is)}, and the model ${inWords(expected)}`);
  }
  return kept(told === "input_output" ? "input and output as the model told them" : "as the model told it");
}

function resume({ work, resumed, heard }: Seen): Finding {
  if (resumed === null) return notSeen("its first turn named no conversation");
  const again = heard.find(({ script }) => script === SCRIPTS.resumed);
  if (again === undefined) return broken(`asked to go on, it ${endOf(resumed)}`);
  if (!again.scripts.includes(SCRIPTS.work)) {
    const why = resumed.events.find((event) => event.type === "note");
    const said = why?.type === "note" ? `: ${why.text}` : "";
    return broken(`asked to go on, it began a new conversation${said}`);
  }
  const [before, after] = [sessionOf(work), sessionOf(resumed)];
  if (before !== after) return broken(`it went on as ${after}, not as ${before}`);
  // Where no turn ends well, that is not for having been resumed.
  const isOwnFault = work.end?.outcome === "succeeded" && resumed.end?.outcome !== "succeeded";
  if (isOwnFault) return broken(`asked to go on, it ${endOf(resumed)}`);
  return kept("it went on in its own conversation");
}

function limit({ limited, heard }: Seen, { tellsLimit, tellsReset }: Promises): Finding {
  if (!tellsLimit || limited === null) return notAsked("not asked: it tries again at a limit without a word");
  if (answersTo(heard, SCRIPTS.limited) === 0) return notSeen(`its model was not asked: it ${endOf(limited)}`);
  if (limited.end === null || limited.end.outcome === "interrupted")
    return broken(`a usage limit was not told within ${seconds(LIMIT_MS_MAX)}`);
  if (limited.end.outcome !== "rate_limited") return broken(`at a usage limit it ${endOf(limited)}`);
  const until = limited.end.limit?.until ?? null;
  if (tellsReset && until !== RESETS_AT * 1_000)
    return broken(
      `a usage limit was told, but not until when${until === null ? "" : `: ${new Date(until).toISOString()}`}`,
    );
  return kept(`a usage limit was told after ${seconds(limited.ms)}${tellsReset ? ", and until when" : ""}`);
}

function answersTo(heard: Seen["heard"], name: string): number {
  return new Set(heard.flatMap(({ script, turn }) => (script === name ? [turn] : []))).size;
}

function sessionOf({ events }: TurnSeen): string | null {
  const told = events.find(({ type }) => type === "session");
  return told?.type === "session" ? told.session : null;
}

/** Of last words of a program so many characters are told. */
const SAID_MAX = 200;

/** Goes on after "it": `failed: words`. */
function endOf({ end, ms }: TurnSeen): string {
  if (end === null) return `had not ended after ${seconds(ms)}`;
  const word = { succeeded: "succeeded", interrupted: "was ended", rate_limited: "met a limit" }[end.outcome as string];
  return `${word ?? "failed"}${end.error === null ? "" : `: ${end.error.slice(0, SAID_MAX)}`}`;
}

function costOf(answers: number, told: UsageTold): Usage {
  const each = {
    input: TOLD.input_tokens,
    output: TOLD.output_tokens,
    cache_read: TOLD.cache_read_input_tokens,
    cache_write: TOLD.cache_creation_input_tokens,
  };
  const whole = {
    input: each.input * answers,
    output: each.output * answers,
    cache_read: each.cache_read * answers,
    cache_write: each.cache_write * answers,
  };
  if (told === "whole") return whole;
  if (told === "unwritten") return { ...whole, input: whole.input + whole.cache_write, cache_write: 0 };
  return { ...whole, input: whole.input + whole.cache_read + whole.cache_write, cache_read: null, cache_write: null };
}

const BUCKETS = ["input", "output", "cache_read", "cache_write"] as const;

function isSame(a: Usage, b: Usage): boolean {
  return BUCKETS.every((bucket) => a[bucket] === b[bucket]);
}

function inWords({ input, output, cache_read, cache_write }: Usage): string {
  const cached = [cache_read, cache_write].map((count) => count ?? "an unknown number");
  return `${input} in, ${output} out, ${cached[0]} read from and ${cached[1]} written to a cache`;
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
