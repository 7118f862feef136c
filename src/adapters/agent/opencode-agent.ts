import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import type { Agent, AgentEnd, AgentRequest, AgentSpec } from "../../ports/agent.ts";
import type { Processes } from "../../ports/processes.ts";
import { failed } from "./ended.ts";
import { LastWord } from "./last-word.ts";
import { OpenCodeClient } from "./opencode-client.ts";
import { CONFIG_VARIABLE, openCodeConfig } from "./opencode-config.ts";
import { openCodeEnd } from "./opencode-end.ts";
import { isRepetition } from "./opencode-events.ts";
import { OPENCODE_TIMES, OpenCodeHearing, type OpenCodeTimes } from "./opencode-hearing.ts";
import { OpenCodeTalk, type OpenCodeWish } from "./opencode-talk.ts";
import { ownFolder } from "./own-folder.ts";
import { plainText } from "./plain-text.ts";
import { runProgram } from "./run-program.ts";
import { SOFT_STEP_MS, softStop } from "./soft-stop.ts";
import { Transcript } from "./transcript.ts";
import { turnWords } from "./turn-words.ts";
import type { Fields } from "./wire-fields.ts";

type OpenCodeSpec = Extract<AgentSpec, { adapter: "opencode" }>;

export interface OpenCodeOptions {
  /** From the start of its program to the first event of its server. Twelve at once on two cores took one minute. */
  startMs?: number;
  /** How long it may take to break its turn off. */
  softStepMs?: number;
  times?: Partial<OpenCodeTimes>;
  /** How long the summing-up of its conversation may take. */
  summingMs?: number;
}

const START_MS = 180_000;

/** A server whose events ended is mostly about to be gone: then it is known better why. */
const GONE_MS = 2_000;

/** Of what it writes, this many of the last lines stand in an error. */
const STRAY_LINES = 5;

/**
 * Drives OpenCode by its own server, which listens on 127.0.0.1 for this one turn and has a password that is made for it;
 * the prompt goes there. A turn has ended when its session is idle: `openCodeEnd` has the rules.
 */
export function openCodeAgent(spec: OpenCodeSpec, processes: Processes, options: OpenCodeOptions = {}): Agent {
  return {
    run: async (request) => {
      const { mcp, env } = request;
      const config = openCodeConfig(env[CONFIG_VARIABLE], { mcp, bypass: spec.bypass === true });
      if (config === null) return failed("refused_request", `its variable ${CONFIG_VARIABLE} does not hold JSON`);
      // Each start of it leaves a library of 5 MB behind.
      const temporary = ownFolder(env, "opencode");
      try {
        return await new OpenCodeTurn(spec, request, options).run(processes, { config, temporary });
      } finally {
        rmSync(temporary, { recursive: true, force: true });
      }
    },
  };
}

class OpenCodeTurn {
  readonly #spec: OpenCodeSpec;
  readonly #request: AgentRequest;
  readonly #options: OpenCodeOptions;
  readonly #hearing: OpenCodeHearing;
  readonly #transcript: Transcript;
  readonly #password = randomBytes(24).toString("base64url");
  readonly #stray: string[] = [];
  #talk: OpenCodeTalk | null = null;
  #isWritten = true;
  #listens!: (address: string) => void;
  readonly #address = new Promise<string>((resolve) => {
    this.#listens = resolve;
  });
  #connect!: () => void;
  readonly #connected = new Promise<true>((resolve) => {
    this.#connect = () => resolve(true);
  });
  /** Aborts when its program is gone: nothing more is heard then. */
  readonly #gone = new AbortController();

  constructor(spec: OpenCodeSpec, request: AgentRequest, options: OpenCodeOptions) {
    this.#spec = spec;
    this.#request = request;
    this.#options = options;
    this.#transcript = new Transcript(request);
    this.#hearing = new OpenCodeHearing(
      request,
      spec,
      { ...OPENCODE_TIMES, ...options.times },
      {
        asked: (ask, tool) => void this.#talk?.answer(ask, tool),
        questioned: (question) => void this.#talk?.refuseQuestion(question),
        goesOn: (finish) => this.#talk?.goesOn(finish, (end) => this.#hearing.finish(end)) ?? false,
      },
    );
  }

  async run(processes: Processes, own: { config: string; temporary: string }): Promise<AgentEnd> {
    const { signal } = this.#request;
    const stop = softStop(signal, [() => this.#abort()], this.#options.softStepMs ?? SOFT_STEP_MS);
    const lastWord = new LastWord(stop.signal, 0, signal);
    const late = setTimeout(() => this.#hearing.finish({ kind: "late" }), this.#options.startMs ?? START_MS);
    void this.#hearing.over.then(() => {
      lastWord.said();
      lastWord.end();
    });
    try {
      const program = runProgram(this.#request, processes, {
        argv: [...this.#spec.program, "serve", "--hostname", "127.0.0.1", "--port", "0"],
        env: openCodeEnv(this.#request.env, this.#password, own),
        stdin: "",
        signal: lastWord.signal,
        hear: (line) => this.#hearLine(line),
      }).finally(() => {
        this.#hearing.finish(null);
        this.#gone.abort();
      });
      const [exit] = await Promise.all([program, this.#converse(late)]);
      this.#hearing.tellSession(this.#spec.model);
      const { end, summary, usage, cost_usd } = this.#hearing;
      const is_own = lastWord.isOwn || !signal.aborted;
      const stray = plainText(this.#stray.join("\n"));
      return openCodeEnd({ end, is_own, summary, usage, cost_usd, stray }, exit);
    } finally {
      clearTimeout(late);
      lastWord.close();
      stop.close();
    }
  }

  /** From the first word of its server to the end of the turn. */
  async #converse(late: NodeJS.Timeout): Promise<void> {
    const { over } = this.#hearing;
    const address = await Promise.race([this.#address, over]);
    if (address === undefined) return;
    const client = new OpenCodeClient(address, this.#password, this.#request.brief.workspace);
    await Promise.all([this.#listen(client), this.#begin(client, late)]);
  }

  /** The first event says that nothing is missed any more. */
  async #begin(client: OpenCodeClient, late: NodeJS.Timeout): Promise<void> {
    const { over } = this.#hearing;
    if ((await Promise.race([this.#connected, over])) !== true) return;
    clearTimeout(late);
    this.#talk = new OpenCodeTalk(wishOf(this.#spec, this.#request), client, this.#options.summingMs);
    const end = await Promise.race([this.#talk.begin(this.#hearing), over]);
    if (end != null) this.#hearing.finish(end);
  }

  async #listen(client: OpenCodeClient): Promise<void> {
    const why = await client.listen(this.#gone.signal, (line, event, leftOut) => this.#hearEvent(line, event, leftOut));
    const lost = setTimeout(() => this.#hearing.finish({ kind: "lost", why }), GONE_MS);
    await this.#hearing.over;
    clearTimeout(lost);
  }

  #hearEvent(line: string, event: Fields, leftOut: number): void {
    this.#connect();
    if (leftOut > 0) {
      const note = `an event was too long to be read: ${leftOut} bytes of it were left out`;
      this.#request.tell({ type: "note", text: note });
      return;
    }
    if (!isRepetition(event)) this.#write(line);
    this.#hearing.hear(event);
  }

  /** What it tells stands in the transcript, as what others print does. */
  #write(line: string): void {
    try {
      this.#transcript.write(`${line}\n`);
    } catch (error) {
      if (this.#isWritten) {
        const { code = String(error) } = error as NodeJS.ErrnoException;
        this.#request.tell({ type: "note", text: `its transcript lacks events: they cannot be written (${code})` });
      }
      this.#isWritten = false;
    }
  }

  #hearLine(line: string): void {
    // Those are its events, written by ourselves.
    if (line.startsWith("{") || line.trim() === "") return;
    const address = LISTENS.exec(line)?.[1];
    if (address !== undefined) this.#listens(address);
    else this.#stray.push(plainText(line.trimEnd()));
    if (this.#stray.length > STRAY_LINES) this.#stray.shift();
  }

  #abort(): void {
    if (this.#talk?.abort() !== true) this.#hearing.finish(null);
  }
}

const LISTENS = /listening on (http:\/\/127\.0\.0\.1:\d+)/;

function wishOf(
  { model, effort, system, bypass }: OpenCodeSpec,
  { brief, turn, tell, permit, mcp }: AgentRequest,
): OpenCodeWish {
  return {
    model,
    effort,
    system: system ?? null,
    bypass: bypass === true,
    servers: mcp.map(({ name }) => name),
    title: brief.attempt,
    session: turn?.session ?? null,
    compact: turn?.compact === true,
    words: turnWords({ brief, turn }),
    tell,
    permit,
  };
}

/** How it tells the programs that it starts where they are; and who would get into its server instead of us. */
const OUTER_SESSION = ["OPENCODE", "OPENCODE_PID", "OPENCODE_SERVER_PASSWORD", "OPENCODE_SERVER_USERNAME"];

function openCodeEnv(
  env: Record<string, string>,
  password: string,
  { config, temporary }: { config: string; temporary: string },
): Record<string, string> {
  const own = Object.fromEntries(Object.entries(env).filter(([name]) => !OUTER_SESSION.includes(name)));
  return {
    // An attempt that replaces the program would do so under all the others.
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    NO_COLOR: "1",
    ...own,
    TMPDIR: temporary,
    OPENCODE_SERVER_PASSWORD: password,
    [CONFIG_VARIABLE]: config,
  };
}
