import type { Workspace } from "../ports/workspace.ts";

/** A workspace whose code is loaded when it is first used: commands that only read the store never do. */
export function lazyWorkspace(load: () => Promise<Workspace>): Workspace {
  let loading: Promise<Workspace> | undefined;
  const loaded = (): Promise<Workspace> => {
    loading ??= load();
    return loading;
  };
  return {
    inspect: async (plan) => (await loaded()).inspect(plan),
    probe: async (task, options) => (await loaded()).probe(task, options),
    opened: async () => (await loaded()).opened(),
    occupied: async () => (await loaded()).occupied(),
    ownDir: async (task) => (await loaded()).ownDir(task),
    open: async (task, options) => (await loaded()).open(task, options),
    candidate: async (request) => (await loaded()).candidate(request),
    sides: async (candidate, request) => (await loaded()).sides(candidate, request),
    land: async (task, candidate) => (await loaded()).land(task, candidate),
    takeBack: async (task, landed) => (await loaded()).takeBack(task, landed),
    holds: async (target, commit) => (await loaded()).holds(target, commit),
    save: async (task) => (await loaded()).save(task),
    discard: async (task, target) => (await loaded()).discard(task, target),
    undo: async (task, commit) => (await loaded()).undo(task, commit),
    pin: async (task, commit) => (await loaded()).pin(task, commit),
    pinned: async (plan) => (await loaded()).pinned(plan),
    proof: async (landing) => (await loaded()).proof(landing),
    line: async (target, base) => (await loaded()).line(target, base),
    redone: async (commit) => (await loaded()).redone(commit),
    fresh: async (task, commit, preparing) => (await loaded()).fresh(task, commit, preparing),
    diff: async (of) => (await loaded()).diff(of),
    join: async (request) => (await loaded()).join(request),
    takeIn: async (request) => (await loaded()).takeIn(request),
    bring: async (request, candidate) => (await loaded()).bring(request, candidate),
    foreign: async (options) => (await loaded()).foreign(options),
    foresee: async (works) => (await loaded()).foresee(works),
    reclaim: async (request) => (await loaded()).reclaim(request),
    inUse: async () => (await loaded()).inUse(),
  };
}
