/** The program of an agent is looked at before its first attempt; what waits for that holds up nobody else. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { EngineContext } from "../../../src/engine/context.ts";
import { runPlan } from "../../../src/engine/run.ts";
import type { AgentPrograms, ProgramStanding } from "../../../src/ports/agent-probe.ts";
import { attemptsOf, eventsIn, type Lab, makeLab, requestOf, statesIn } from "../../fixtures/lab.ts";

const CONFIG = {
  agents: {
    first: { adapter: "command", command: ["true"] },
    second: { adapter: "command", command: ["true"] },
  },
};
const A = { id: "A", title: "A", agent: "first", verify: "test -d ." };
const A2 = { id: "A2", title: "A2", agent: "first", verify: "test -d ." };
const B = { id: "B", title: "B", agent: "second", verify: "test -d ." };

const UNTRIED = { state: "untried", what: "first 2" } as const;
const UNFIT = { state: "unfit", why: "first 2 does not do what lockstep needs: stop: it did not" } as const;
const FIT = { state: "fit" } as const;

const lab = (config: object = CONFIG): Promise<Lab> =>
  makeLab({ kind: "none", tasks: [A, A2, B], config: { ...config }, defaults: { agent: "first" } });

/** For what an attempt takes on a busy machine. */
const PATIENT = { timeout: 20_000 };

/** The programs of `first`: how it stands, and how each trial of it ends. */
class Programs implements AgentPrograms {
  readonly calls: string[] = [];
  readonly #standing: ProgramStanding;
  readonly #trials: (ProgramStanding | ((signal: AbortSignal) => Promise<ProgramStanding>))[];

  constructor(standing: ProgramStanding, ...trials: Programs["trials"]) {
    this.#standing = standing;
    this.#trials = trials;
  }

  get trials() {
    return this.#trials;
  }

  isTried(agent: string): boolean {
    return agent === "first";
  }

  async standing(agent: string): Promise<ProgramStanding> {
    this.calls.push(`standing ${agent}`);
    return this.#standing;
  }

  async probe(agent: string, signal: AbortSignal): Promise<ProgramStanding> {
    this.calls.push(`probe ${agent}`);
    const next = this.#trials.shift();
    if (next === undefined) throw new Error("one trial too many");
    return typeof next === "function" ? next(signal) : next;
  }
}

const holdsOf = ({ context, project }: Lab) => context.store.holds(project.id);

function run({ context, plan }: Lab, programs: AgentPrograms, wish: Parameters<typeof requestOf>[1] = {}) {
  const tried: EngineContext = { ...context, programs };
  return runPlan(tried, requestOf({ plan }, wish));
}

test("one that is fit starts, and is looked at once", async () => {
  const [own, programs] = [await lab(), new Programs(FIT)];
  expect(await run(own, programs)).toMatchObject({ outcome: "done" });
  expect(programs.calls).toEqual(["standing first"]);
  expect((await eventsIn(own)).filter(({ type }) => type.startsWith("hold"))).toEqual([]);
});

test("one that is new waits for its trial, held for everybody to see, and the other agent goes on meanwhile", async () => {
  const own = await lab();
  let seen: unknown = null;
  const programs = new Programs(UNTRIED, async () => {
    await expect.poll(() => statesIn(own), PATIENT).toMatchObject({ A: "pending", B: "verified" });
    seen = await holdsOf(own);
    return FIT;
  });
  expect(await run(own, programs)).toMatchObject({ outcome: "done" });
  expect(programs.calls).toEqual(["standing first", "probe first"]);
  const why = "first 2 is new here, and is tried before its first attempt";
  expect(seen).toMatchObject([{ key: "agent:first", until: expect.any(Number), why }]);
  expect(await holdsOf(own)).toEqual([]);
});

test("one that fails twice is held until a person says otherwise; the rest of the plan is done", async () => {
  const [own, programs] = [await lab(), new Programs(UNTRIED, UNFIT, UNFIT)];
  const end = await run(own, programs);
  expect(end).toMatchObject({ outcome: "needs_person" });
  expect(await statesIn(own)).toEqual({ A: "pending", A2: "pending", B: "verified" });
  const why = `${UNFIT.why}; \`lockstep agent release first\` lets it start`;
  expect(await holdsOf(own)).toMatchObject([{ key: "agent:first", until: null, why }]);
  expect(await attemptsOf(own, "A")).toEqual([]);
});

test("one whose second trial goes well starts", async () => {
  const [own, programs] = [await lab(), new Programs(UNTRIED, UNFIT, FIT)];
  expect(await run(own, programs)).toMatchObject({ outcome: "done" });
});

test("one that is known to fail is held without another trial, and goes on in the same run when it is released", async () => {
  // The other agent works until that has been done.
  const waits = 'for each in $(seq 600); do [ -e "$ASIDE/released" ] && exit 0; sleep 0.1; done; exit 1';
  const second = { adapter: "command", command: ["bash", "-c", waits], pass_env: ["ASIDE"] };
  const own = await lab({ agents: { ...CONFIG.agents, second } });
  const programs = new Programs(UNFIT);
  const { store, project } = own.context;
  const release = async (): Promise<void> => {
    await expect.poll(() => holdsOf(own), PATIENT).toMatchObject([{ until: null }]);
    await store.submit({ type: "hold.clear", project: project.id, key: "agent:first" }, { actor: "test" });
    writeFileSync(join(own.aside, "released"), "");
  };
  const [end] = await Promise.all([run(own, programs), release()]);
  expect(end).toMatchObject({ outcome: "done" });
  expect(programs.calls).toEqual(["standing first"]);
});

test("the hold of a trial whose engine was killed is lifted by the next one, and the trial made again", async () => {
  const own = await lab();
  const { store, project, clock, actor } = own.context;
  const until = clock.now() + 240_000;
  const hold = { type: "hold.set", project: project.id, key: "agent:first", until, why: "it is tried" } as const;
  await store.submit({ ...hold, known_from: "trial" }, { actor });
  const programs = new Programs(UNTRIED, FIT);
  expect(await run(own, programs)).toMatchObject({ outcome: "done" });
  expect(programs.calls).toEqual(["standing first", "probe first"]);
  expect(await holdsOf(own)).toEqual([]);
});

test("a run that is stopped breaks off its trial, and leaves nothing held", async () => {
  const [own, kill] = [await lab(), new AbortController()];
  const programs = new Programs(UNTRIED, async (signal) => {
    kill.abort();
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    return UNTRIED;
  });
  expect(await run(own, programs, { kill: kill.signal })).toMatchObject({ outcome: "stopped" });
  expect(await holdsOf(own)).toEqual([]);
});
