import { request } from "node:http";
import { describe, expect, test } from "vitest";
import { readShellLine } from "../adapters/shell/read-shell-line.ts";
import type { ToolRules } from "../core/policy/tool-rules.ts";
import type { Agent, AgentEnd, AgentRequest, AgentSpec, Brief } from "../ports/agent.ts";
import type { Clock } from "../ports/clock.ts";
import type { Processes, ProcessIdentity } from "../ports/processes.ts";
import type { Launch, RunnerControl, RunnerEnd, RunnerSpool, RunnerWord } from "../ports/runner.ts";
import { holdAttempt } from "./hold-attempt.ts";

const SELF = { node: "here", boot: "b", pid: 7, start: "1" };
const SUCCEEDED: AgentEnd = { outcome: "succeeded", error: null, summary: "printed", usage: null, cost_usd: null };
const INTERRUPTED: AgentEnd = { ...SUCCEEDED, outcome: "interrupted", error: "killed", summary: null };

/** A runner over a spool in memory, whose engine and clock the test plays. */
function rig(run: (request: AgentRequest) => Promise<AgentEnd>, launch: Partial<Launch> = {}, timeoutMs = 3_600_000) {
  const told: RunnerWord[] = [];
  const killed: string[] = [];
  const ended: RunnerEnd[] = [];
  const hearing: { now: ((wish: RunnerControl) => void) | null } = { now: null };
  const world = { taken: false, heard: 0 as number | null, now: 1_000, isFull: false, signs: 0 };
  const spool: RunnerSpool = {
    claim: () => !world.taken,
    launch: () => ({
      protocol: 1,
      attempt: { plan: "p", task: "T", slug: "T", n: 2 },
      agent: { adapter: "command", argv: ["x"] },
      orphan_ms: 3_600_000,
      ask_wait_ms: 3_600_000,
      watch: { first_output_ms: null, silence_ms: null },
      sweep: null,
      ...launch,
    }),
    brief: () => ({ timeout_ms: timeoutMs, workspace: "/place", report: { verdict: false, handoff: false } }) as Brief,
    outputBytes: () => 0,
    briefFile: "brief.json",
    logFile: "transcript.log",
    tell: (word) => {
      if (world.isFull) throw new Error("no space left");
      return told.push(word);
    },
    controls: (hear) => {
      hearing.now = hear;
      return { close: () => {} };
    },
    heardAt: () => world.heard,
    end: (end) => {
      if (world.isFull) throw Object.assign(new Error("no space left"), { syscall: "write" });
      ended.push(end);
    },
    sign: () => {
      world.signs += 1;
      world.isFull = world.signs < 3;
    },
  };
  let isPassing = false;
  const passTime = (): void => {
    isPassing = true;
  };
  const clock: Clock = {
    now: () => world.now,
    monotonic: () => world.now,
    // Time stands still: only a sleep of no time at all ends by itself.
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (ms <= 1) resolve();
        if (isPassing) setImmediate(resolve);
        signal?.addEventListener("abort", () => resolve(), { once: true });
      }),
  };
  const processes = {
    self: () => SELF,
    killBearers: async (entry: string) => void killed.push(entry),
    killInside: async (dir: string, since: ProcessIdentity) => void killed.push(`${dir} since ${since.pid}`),
  } as unknown as Processes;
  const agent: Agent = { run };
  const stop = new AbortController();
  const held = () =>
    holdAttempt({
      spool,
      processes,
      clock,
      agentFor: () => agent,
      readShellLine,
      env: { PATH: "/bin" },
      ended: stop.signal,
    });
  return { held, told, killed, ended, hearing, world, stop, passTime };
}

const untilStopped = ({ signal }: AgentRequest): Promise<AgentEnd> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(INTERRUPTED);
    signal.addEventListener("abort", () => resolve(INTERRUPTED), { once: true });
  });

function post(
  env: Record<string, string>,
  path: string,
  body: object,
  token = env["LOCKSTEP_RUNNER_TOKEN"],
): Promise<[number, unknown]> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` };
    const asked = request(new URL(path, env["LOCKSTEP_RUNNER"]), { method: "POST", headers }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => {
        text += part;
      });
      response.on("end", () => resolve([response.statusCode!, JSON.parse(text)]));
    });
    asked.on("error", reject);
    asked.end(JSON.stringify(body));
  });
}

describe("a runner", () => {
  test("tells who runs, ends what bears its mark, and leaves the end", async () => {
    const agentProcess = { ...SELF, pid: 8 };
    const { held, told, killed, ended } = rig(async ({ env, started, tell }) => {
      expect(env).toMatchObject({ PATH: "/bin", LOCKSTEP_ATTEMPT: "p/T#2" });
      await started(agentProcess);
      tell({ type: "text", text: "x".repeat(5_000) });
      return SUCCEEDED;
    });
    await held();
    expect(told).toEqual([
      { type: "started", runner: SELF, agent: agentProcess },
      { type: "text", text: "x".repeat(4_000) },
    ]);
    expect(killed).toEqual(["LOCKSTEP_ATTEMPT=p/T#2"]);
    expect(ended).toEqual([SUCCEEDED]);
  });

  test("field report 4: ends what works in the attempt's own place since its first turn began", async () => {
    const [first, second] = [
      { ...SELF, pid: 8 },
      { ...SELF, pid: 9 },
    ];
    const run = async ({ contain, started, turn }: AgentRequest) => {
      expect(contain).toBe(true);
      await started(turn === null ? first : second);
      if (turn !== null) return SUCCEEDED;
      hearing.now!({ type: "interrupt", number: 1, message: "use tabs" });
      return INTERRUPTED;
    };
    const { held, killed, hearing } = rig(run, { sweep: "/own" });
    await held();
    const ended = ["LOCKSTEP_ATTEMPT=p/T#2", "/own since 8"];
    expect(killed).toEqual([...ended, ...ended]);
  });

  test("lets an agent that must not be in a namespace of its own be in none", async () => {
    const agent: AgentSpec = { adapter: "command", argv: ["x"], pid_namespace: false };
    const run = async ({ contain }: AgentRequest) => {
      expect(contain).toBe(false);
      return SUCCEEDED;
    };
    const { held, ended } = rig(run, { agent });
    await held();
    expect(ended).toEqual([SUCCEEDED]);
  });

  test("whose attempt was given up before it came starts nothing", async () => {
    const { held, world, ended } = rig(async () => {
      throw new Error("an agent was started");
    });
    world.taken = true;
    await held();
    expect(ended).toEqual([]);
  });

  test("ends its agent when an engine asks, for the engine's reason", async () => {
    const { held, hearing, ended } = rig(async (request) => {
      hearing.now!({ type: "stop", why: "paused by its operator" });
      hearing.now!({ type: "stop", why: "another" });
      return untilStopped(request);
    });
    await held();
    expect(ended).toEqual([{ ...INTERRUPTED, error: "paused by its operator" }]);
  });

  test("that is to end its agent at once kills it, also when it had asked it to end before", async () => {
    const { held, hearing, ended } = rig(async ({ signal, kill }) => {
      hearing.now!({ type: "stop", why: "paused by its operator" });
      expect([signal.aborted, kill.aborted]).toEqual([true, false]);
      hearing.now!({ type: "stop", why: "panic", at_once: true });
      expect(kill.aborted).toBe(true);
      return { ...INTERRUPTED, killed: true };
    });
    await held();
    expect(ended).toEqual([{ ...INTERRUPTED, error: "paused by its operator", killed: true }]);
  });

  test("lets its agent go on in the conversation of an earlier attempt, with all that it is to do", async () => {
    const turns: AgentRequest["turn"][] = [];
    const resume = { session: "s-1", attempt: 1, why: "it was interrupted: requeued" };
    const { held, told } = rig(
      async ({ turn }) => {
        turns.push(turn);
        return SUCCEEDED;
      },
      { resume },
    );
    await held();
    expect(turns).toEqual([{ session: "s-1", whole: true, message: expect.any(String) }]);
    expect(turns[0]?.message).toMatch(
      /^Your work on this task broke off: it was interrupted: requeued\.\nLook at the work/,
    );
    expect(told[0]).toEqual({ type: "note", text: "it goes on in the conversation s-1 of attempt 1" });
  });

  test("says why its agent begins anew where there is no way back to the conversation", async () => {
    const { held, told } = rig(async ({ turn }) => ({ ...SUCCEEDED, summary: String(turn) }), {
      resume: { attempt: 1, lost: "its home is gone" },
    });
    await held();
    expect(told).toEqual([
      { type: "note", text: "it begins anew, not in the conversation of attempt 1: its home is gone" },
    ]);
  });

  test("tells what all of its agent's turns used together", async () => {
    let turns = 0;
    const usage = { input: 3, output: 2, cache_read: null, cache_write: null };
    const { held, told, ended, hearing } = rig(async ({ tell }) => {
      turns += 1;
      tell({ type: "usage", usage, cost_usd: 1 });
      if (turns > 1) return { ...SUCCEEDED, usage, cost_usd: 1 };
      hearing.now!({ type: "interrupt", number: 1, message: "Use tabs." });
      return { ...INTERRUPTED, usage, cost_usd: 1 };
    });
    await held();
    const both = { usage: { input: 6, output: 4, cache_read: null, cache_write: null }, cost_usd: 2 };
    expect(told.filter(({ type }) => type === "usage").at(-1)).toEqual({ type: "usage", ...both });
    expect(ended).toMatchObject([both]);
  });

  test("lets its agent go on with what a person said when it is interrupted, each word once", async () => {
    const turns: unknown[] = [];
    const { held, hearing, ended, told } = rig(async (request) => {
      turns.push(request.turn);
      if (turns.length > 2) return SUCCEEDED;
      request.tell({ type: "session", session: `s${turns.length}`, model: null });
      hearing.now!({ type: "interrupt", number: 1, message: "Use tabs." });
      if (turns.length === 2) hearing.now!({ type: "interrupt", number: 2, message: "And no semicolons." });
      return untilStopped(request);
    });
    await held();
    expect(turns).toEqual([
      null,
      { message: "Use tabs.", session: "s1" },
      { message: "And no semicolons.", session: "s2" },
    ]);
    expect(told).toContainEqual({ type: "note", text: "interrupted by a person: Use tabs." });
    expect(ended).toEqual([SUCCEEDED]);
  });

  test("lets its agent go on when its conversation is to be summed up, once for each number", async () => {
    const turns: AgentRequest["turn"][] = [];
    const { held, told, hearing, ended } = rig(async ({ turn, signal, tell }) => {
      turns.push(turn);
      tell({ type: "session", session: "s-1", model: null });
      hearing.now!({ type: "compact", number: 1 });
      return signal.aborted ? INTERRUPTED : SUCCEEDED;
    });
    await held();
    const message = "Your conversation was summed up to make room. Go on with your task.";
    expect(turns).toEqual([null, { message, session: "s-1", compact: true }]);
    expect(told).toContainEqual({ type: "note", text: `interrupted to sum up: ${message}` });
    expect(ended).toEqual([SUCCEEDED]);
  });

  const CLAUDE: AgentSpec = { adapter: "claude", program: ["claude"], model: null, effort: null };

  test("tells its agent what it is to know: in its turn where it can hear that, else in one more in its conversation, each once", async () => {
    const turns: AgentRequest["turn"][] = [];
    const heard: string[][] = [];
    const { held, told, hearing, ended } = rig(
      async ({ turn, tell, notices }) => {
        turns.push(turn);
        tell({ type: "session", session: "s-1", model: null });
        if (turns.length === 1) {
          notices?.on(() => heard.push(notices.take()));
          hearing.now!({ type: "notices", messages: ["a clash"] });
          notices?.on(() => {});
          hearing.now!({ type: "notices", messages: ["a clash", "soon gone"] });
          hearing.now!({ type: "notices", messages: ["a clash", "another"] });
        }
        return SUCCEEDED;
      },
      { agent: CLAUDE },
    );
    await held();
    expect(heard).toEqual([["a clash"]]);
    expect(turns).toEqual([null, { message: "another", session: "s-1" }]);
    expect(told.filter(({ type }) => type === "note")).toEqual([
      { type: "note", text: "told: a clash" },
      { type: "note", text: "told: another" },
    ]);
    expect(ended).toEqual([SUCCEEDED]);
  });

  test.each<[string, AgentSpec | null, AgentEnd]>([
    ["that cannot go on in its conversation", null, SUCCEEDED],
    ["that did not succeed", CLAUDE, { ...SUCCEEDED, outcome: "failed", error: "no" }],
  ])(
    "gives no more turns to an agent %s, and no more than three to one that is told again and again",
    async (_, agent, end) => {
      let turns = 0;
      const noisy =
        (of: AgentEnd) =>
        async ({ tell }: AgentRequest) => {
          turns += 1;
          tell({ type: "session", session: "s-1", model: null });
          hearing.now!({ type: "notices", messages: [`clash ${turns}`] });
          return of;
        };
      const { held, hearing } = rig((request) => noisy(end)(request), agent === null ? {} : { agent });
      await held();
      expect(turns).toBe(1);
      const again = rig(
        (request) => {
          turns += 1;
          request.tell({ type: "session", session: "s-1", model: null });
          again.hearing.now!({ type: "notices", messages: [`clash ${turns}`] });
          return Promise.resolve(SUCCEEDED);
        },
        { agent: CLAUDE },
      );
      await again.held();
      expect(turns).toBe(1 + 4);
    },
  );

  test("says what could not be told any more to an agent that had ended", async () => {
    const { held, hearing, ended, told } = rig(async () => {
      hearing.now!({ type: "interrupt", number: 1, message: "Use tabs." });
      return SUCCEEDED;
    });
    await held();
    expect(told).toContainEqual({ type: "note", text: "it had ended before it could be told: Use tabs." });
    expect(ended).toEqual([SUCCEEDED]);
  });

  test("gives up an agent whose time is over, with its last words", async () => {
    const { held, ended } = rig(
      async (request) => {
        await untilStopped(request);
        return { ...INTERRUPTED, error: "compiling", killed: true };
      },
      {},
      0,
    );
    await held();
    expect(ended).toEqual([
      { ...INTERRUPTED, outcome: "timed_out", error: "no end within 0 s: compiling", failure: "hung", killed: true },
    ]);
  });

  test("that cannot leave its end tries it until it can, and shows meanwhile that it lives", async () => {
    const { held, ended, world, passTime } = rig(async () => {
      world.isFull = true;
      return SUCCEEDED;
    });
    passTime();
    await held();
    expect(world.signs).toBe(3);
    expect(ended).toEqual([SUCCEEDED]);
  });

  test("ends its agent when it is told to end itself", async () => {
    const { held, stop, ended } = rig(untilStopped);
    const holding = held();
    stop.abort();
    await holding;
    expect(ended).toEqual([{ ...INTERRUPTED, error: "its runner was told to end" }]);
  });

  test("keeps what its agent had done before it was asked to end it", async () => {
    const { held, hearing, ended } = rig(async () => {
      hearing.now!({ type: "stop", why: "too late" });
      return SUCCEEDED;
    });
    await held();
    expect(ended).toEqual([SUCCEEDED]);
  });

  test("that hears of no engine for too long ends its agent", async () => {
    const { held, ended, world } = rig(untilStopped, { orphan_ms: 0 });
    world.heard = 500;
    await held();
    expect(ended).toEqual([{ ...INTERRUPTED, error: "no engine was heard of for 0 s" }]);
  });

  test("whose spool is gone ends its agent", async () => {
    const { held, ended, world } = rig(untilStopped);
    world.heard = null;
    await held();
    expect(ended).toEqual([{ ...INTERRUPTED, error: "its spool is gone" }]);
  });
});

describe("a call of a tool", () => {
  const tools: ToolRules = { deny: ["run(rm *)"], ask: ["write(*)"], allow: [], otherwise: "allow" };
  const agent: AgentSpec = { adapter: "command", argv: ["x"], tools };

  test("is ruled on by the agent's rules, and by a person where they say so", async () => {
    const { held, told, hearing } = rig(
      async ({ permit }) => {
        expect(await permit({ kind: "run", tool: "Bash", about: "ls" })).toEqual({ allow: true });
        expect(await permit({ kind: "run", tool: "Bash", about: "ls; rm -rf x" })).toEqual({
          allow: false,
          reason: "not allowed: by the rule run(rm *): it would run rm -rf x",
        });
        const asked = permit({ kind: "write", tool: "Write", about: "a.js" });
        while (!told.some(({ type }) => type === "ask")) await new Promise(setImmediate);
        hearing.now!({ type: "answer", question: told.length, answer: "allow" });
        expect(await asked).toEqual({ allow: true });
        return SUCCEEDED;
      },
      { agent },
    );
    await held();
    expect(told).toEqual([
      {
        type: "permission",
        tool: "Bash",
        about: "ls; rm -rf x",
        allowed: false,
        why: "not allowed: by the rule run(rm *): it would run rm -rf x",
      },
      {
        type: "ask",
        question: "May it write this (Write)? a.js\n(by the rule write(*))",
        options: ["allow", "deny"],
        default: null,
        wait: { ms: 3_600_000, then: "refused" },
      },
      { type: "permission", tool: "Write", about: "a.js", allowed: true, why: "a person allowed it" },
    ]);
  });

  test("is allowed to an agent that asks nobody", async () => {
    const { held, told } = rig(
      async ({ permit }) => {
        expect(await permit({ kind: "run", tool: "Bash", about: "rm x" })).toEqual({ allow: true });
        return SUCCEEDED;
      },
      { agent: { ...agent, bypass: true } },
    );
    await held();
    expect(told).toEqual([]);
  });

  test("that waits for a person is over with its turn", async () => {
    const { held, hearing, told } = rig(
      async ({ permit, signal }) => {
        if (signal.aborted) return INTERRUPTED;
        const asked = permit({ kind: "write", tool: "Write", about: "a.js" });
        while (!told.some(({ type }) => type === "ask")) await new Promise(setImmediate);
        hearing.now!({ type: "stop", why: "enough" });
        expect(await asked).toEqual({ allow: false, reason: "its turn was ended before a person answered" });
        return INTERRUPTED;
      },
      { agent },
    );
    await held();
  });
});

describe("an agent's report", () => {
  test("of its work is its summary, and its progress a line", async () => {
    const { held, told, ended } = rig(async ({ env }) => {
      expect(await post(env, "/progress", { text: "half" })).toEqual([200, { ok: true }]);
      expect(await post(env, "/done", { summary: "all of it" })).toEqual([200, { ok: true }]);
      return SUCCEEDED;
    });
    await held();
    expect(told).toContainEqual({ type: "progress", text: "half" });
    expect(ended).toEqual([
      { ...SUCCEEDED, summary: "all of it", report: { files: [], not_done: [], verdict: null, handoff: null } },
    ]);
  });

  test("needs the attempt's own token, and is bounded", async () => {
    const { held } = rig(async ({ env }) => {
      expect(await post(env, "/done", { summary: "x" }, "guessed")).toEqual([
        401,
        { error: { message: "this runner does not know that token" } },
      ]);
      expect((await post(env, "/done", { summary: "x".repeat(70_000) }))[0]).toBe(413);
      expect((await post(env, "/done", {}))[0]).toBe(400);
      return SUCCEEDED;
    });
    await held();
  });

  test("that cannot be written down is answered with the reason", async () => {
    const { held, ended, world } = rig(async ({ env }) => {
      world.isFull = true;
      expect(await post(env, "/progress", { text: "half" })).toEqual([500, { error: { message: "no space left" } }]);
      world.isFull = false;
      return SUCCEEDED;
    });
    await held();
    expect(ended).toEqual([SUCCEEDED]);
  });

  test("of a question is answered by the number of its line", async () => {
    const { held, told, hearing } = rig(async ({ env }) => {
      const asked = post(env, "/ask", { question: "Which?", options: ["a", "b"] });
      while (!told.some(({ type }) => type === "ask")) await new Promise(setImmediate);
      hearing.now!({ type: "answer", question: 1, answer: "b" });
      expect(await asked).toEqual([200, { question: 1, answer: "b" }]);
      return SUCCEEDED;
    });
    await held();
    const wait = { ms: 3_600_000, then: "ends" };
    expect(told[0]).toEqual({ type: "ask", question: "Which?", options: ["a", "b"], default: null, wait });
  });

  test("of a question that can wait is taken, and the agent goes on; too many are refused", async () => {
    const { held, ended } = rig(async ({ env }) => {
      const ask = (n: number) => ({ question: `Which ${n}?`, can_continue: true });
      for (let number = 1; number <= 20; number++)
        expect(await post(env, "/ask", ask(number))).toEqual([200, { question: number, answer: null }]);
      expect((await post(env, "/ask", ask(21)))[0]).toBe(429);
      return SUCCEEDED;
    });
    await held();
    expect(ended).toEqual([SUCCEEDED]);
  });

  test("of a question whose asker has left holds nothing any more", async () => {
    const { held, told, ended } = rig(
      async ({ env }) => {
        const asking = request(new URL("/ask", env["LOCKSTEP_RUNNER"]), {
          method: "POST",
          headers: { authorization: `Bearer ${env["LOCKSTEP_RUNNER_TOKEN"]}` },
        });
        const gone = new Promise<void>((resolve) => asking.on("close", resolve).on("error", () => undefined));
        asking.end(JSON.stringify({ question: "Which?" }));
        while (!told.some(({ type }) => type === "ask")) await new Promise(setImmediate);
        asking.destroy();
        await gone;
        return SUCCEEDED;
      },
      { ask_wait_ms: 1 },
    );
    await held();
    expect(ended).toEqual([SUCCEEDED]);
  });

  test("of a question that nobody answers in time ends the attempt as blocked by it", async () => {
    const { held, ended } = rig(
      async (request) => {
        void post(request.env, "/ask", { question: "Which?" });
        return untilStopped(request);
      },
      { ask_wait_ms: 0 },
    );
    await held();
    expect(ended).toEqual([{ ...INTERRUPTED, outcome: "blocked", error: "Which?" }]);
  });
});
