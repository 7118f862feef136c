/** The workspace as one process reaches it. What takes several steps on a real disk can be cut off between them. */

import type { LandOutcome, Workspace, WorkspaceRefusal, WorkspaceTask } from "../src/ports/workspace.ts";
import { changedPaths } from "./git-model.ts";
import type { Mortal } from "./mortal.ts";
import type { Oracles } from "./oracles.ts";
import { BASE_REF, isSameAttempt, ROOT_DIR, type Slot } from "./places.ts";

/** `gitDies` is asked at each work of git: true lets it fail as when somebody killed it. */
export function workspaceFor(mortal: Mortal, oracles: Oracles, gitDies: (what: string) => boolean): Workspace {
  const { mode } = mortal.world.setting;
  const evidence = noEvidence(mortal);
  if (mode === "none") return { ...nowhere(mortal), ...evidence };
  return {
    ...looks(mortal),
    ...openings(mortal, oracles, gitDies),
    ...landings(mortal, oracles, gitDies),
    ...evidence,
  };
}

type Evidence =
  | "sides"
  | "undo"
  | "discard"
  | "inUse"
  | "pinned"
  | "proof"
  | "line"
  | "redone"
  | "fresh"
  | "diff"
  | "join"
  | "takeIn"
  | "bring"
  | "foreign"
  | "foresee"
  | "reclaim";

function noEvidence(mortal: Mortal): Pick<Workspace, Evidence> {
  const refusal: WorkspaceRefusal = { code: "missing", text: "the simulation has no such thing" };
  return {
    undo: async () => refusal,
    discard: async () => ({ saved: null }),
    sides: async () => null,
    pinned: async () => [],
    proof: async () => null,
    line: async () => null,
    redone: async () => null,
    fresh: async () => null,
    diff: async () => null,
    join: async () => refusal,
    takeIn: async () => refusal,
    bring: async () => ({ landed: false, reason: "git", text: refusal.text }),
    foreign: () =>
      mortal.call("workspace.foreign", "read", () => ({ paths: [], total: 0, saved: null, unseen: null, mended: [] })),
    foresee: async () => null,
    reclaim: async () => ({ freed: [], kept: [] }),
    inUse: async () => [],
  };
}

function nowhere(mortal: Mortal): Omit<Workspace, Evidence> {
  const opened = { dir: ROOT_DIR, target: null, base: null, tree: null };
  const at = <T>(what: string, answer: T): Promise<T> => mortal.call(`workspace.${what}`, "read", () => answer);
  return {
    inspect: () => at("inspect", { target: null }),
    probe: () => at("probe", opened),
    opened: () => at("opened", null),
    occupied: () => at("occupied", []),
    ownDir: () => at("ownDir", null),
    open: () => at("open", opened),
    candidate: () => at("candidate", { dir: ROOT_DIR, target: null, tip: null, commit: null, tree: null, changed: [] }),
    land: () => at("land", { landed: true }),
    takeBack: () => at("takeBack", false),
    holds: () => at("holds", false),
    save: () => at("save", { saved: null }),
    pin: () => at("pin", null),
  };
}

function looks(mortal: Mortal): Pick<Workspace, "inspect" | "probe" | "opened" | "occupied" | "ownDir" | "holds"> {
  const { world } = mortal;
  const { places, git, setting } = world;
  return {
    inspect: (plan) =>
      mortal.call("workspace.inspect", "read", () =>
        plan === undefined
          ? { target: null, base: BASE_REF }
          : { target: `refs/heads/lockstep/${plan}`, base: BASE_REF },
      ),
    probe: (task, options) =>
      mortal.call("workspace.probe", "read", () => {
        const own = places.slotOf(task)?.[1];
        if (own?.state === "ready") return openedAs(mortal, own);
        const blocked = whyNoSlot(mortal, task);
        if (blocked !== null) return blocked;
        return openedAs(mortal, { dir: "/places/next", ...places.start(task, options) });
      }),
    opened: () =>
      mortal.call("workspace.opened", "read", () =>
        setting.mode === "in_place" ? ([...places.slots.values()][0]?.task ?? null) : null,
      ),
    occupied: () => mortal.call("workspace.occupied", "read", () => [...places.slots.values()].map(({ task }) => task)),
    ownDir: (task) =>
      mortal.call("workspace.ownDir", "read", () => {
        const found = places.slotOf(task)?.[1];
        return found === undefined || setting.mode === "in_place" ? null : found.dir;
      }),
    holds: (target, commit) =>
      mortal.call("workspace.holds", "read", () => {
        const tip = git.refs.get(target);
        return tip !== undefined && git.isAncestor(commit, tip);
      }),
  };
}

function openings(
  mortal: Mortal,
  oracles: Oracles,
  gitDies: (what: string) => boolean,
): Pick<Workspace, "open" | "save" | "pin"> {
  const { world, process } = mortal;
  const { places } = world;
  return {
    open: async (task, options) => {
      const taken = await mortal.call("workspace.open (take)", "write", () => {
        if (gitDies(`while ${task.slug}#${task.n} is opened`)) return GIT_DIED;
        const again = places.slotOf(task);
        if (again?.[1].state === "ready") return openedAs(mortal, again[1]);
        for (const [name, slot] of [...places.slots]) {
          const isOwn = slot.task.plan === task.plan && slot.task.slug === task.slug;
          const isCutOff = slot.state === "preparing" && !world.machines.isAlive(slot.holder);
          if (isOwn) places.keep(slot);
          if (isOwn || isCutOff) places.slots.delete(name);
        }
        const free = places.freeSlot();
        if (free === null) return whyNoSlot(mortal, task)!;
        places.take(free, task, options, process.identity);
        return free;
      });
      if (typeof taken !== "string") return taken;
      return mortal.call("workspace.open (ready)", "write", () => {
        const slot = places.slots.get(taken);
        if (slot === undefined || !isSameAttempt(slot.task, task)) return GIT_DIED;
        slot.state = "ready";
        oracles.opened(slot);
        return openedAs(mortal, slot);
      });
    },
    save: async (task) => {
      const saved = await mortal.call("workspace.save (keep)", "write", () => {
        const found = places.slotOf(task);
        return found === null ? null : places.keep(found[1]);
      });
      await mortal.call("workspace.save (free)", "none", () => {
        const found = places.slotOf(task);
        if (found !== null) places.slots.delete(found[0]);
      });
      return { saved };
    },
    pin: (task, commit) =>
      mortal.call("workspace.pin", "write", () => {
        places.pins.set(`${task.plan}/${task.slug}#${task.n}`, commit);
        return null;
      }),
  };
}

function landings(
  mortal: Mortal,
  oracles: Oracles,
  gitDies: (what: string) => boolean,
): Pick<Workspace, "candidate" | "land" | "takeBack"> {
  const { world } = mortal;
  const { places, git } = world;
  return {
    candidate: (request) =>
      mortal.call("workspace.candidate", "write", () => {
        if (gitDies(`while the candidate of ${request.slug} is built`)) return GIT_DIED;
        const built = places.candidate(request, mortal.process.identity.node);
        if ("code" in built) return built;
        const [before, after] = [git.treeOf(built.tip), git.treeOf(built.commit)];
        const paths = changedPaths(git.files(before), git.files(after));
        return { ...built, tree: after, changed: paths.map((path) => ({ path, status: "modified" as const })) };
      }),
    land: async (task, { target, tip, commit }) => {
      if (target === null || tip === null || commit === null) return { landed: true };
      const moved = await mortal.call<LandOutcome>("workspace.land (ref)", "write", () => {
        if (gitDies(`while ${task.slug} is landed`)) return { landed: false, reason: "git", text: GIT_DIED.text };
        const now = git.refs.get(target) ?? null;
        if (now !== null && commit !== tip && git.isAncestor(commit, now)) return { landed: true };
        if (now !== tip) return { landed: false, reason: "target_moved", text: `${target} moved` };
        git.refs.set(target, commit);
        const move = { target, from: now, to: commit, task };
        places.moves.push(move);
        oracles.landed(mortal, move);
        return { landed: true };
      });
      if (!moved.landed) return moved;
      await mortal.call("workspace.land (free)", "none", () => {
        const found = places.slotOf(task);
        if (found !== null) places.slots.delete(found[0]);
      });
      return moved;
    },
    takeBack: ({ slug, n }, { target, tip, commit }) =>
      mortal.call("workspace.takeBack", "write", () => {
        if (world.setting.mode === "in_place" || target === null || tip === null) return false;
        if (git.refs.get(target) !== commit || gitDies(`while ${slug} is taken back`)) return false;
        git.refs.set(target, tip);
        world.log.write(`${target} moves back to ${tip} from ${commit} with ${slug}#${n} by ${mortal.label}`);
        return true;
      }),
  };
}

const GIT_DIED: WorkspaceRefusal = { code: "git", text: "git ended with 137" };

function openedAs(
  { world: { git } }: Mortal,
  { dir, target, base, conflicts }: Pick<Slot, "dir" | "target" | "base" | "conflicts">,
) {
  const opened = { dir, target, base, tree: git.treeOf(base) };
  return conflicts.length === 0 ? opened : { ...opened, conflicts };
}

function whyNoSlot({ world: { places, setting } }: Mortal, task: WorkspaceTask): WorkspaceRefusal | null {
  const mine = [...places.slots.values()].some(
    ({ task: other }) => other.plan === task.plan && other.slug === task.slug,
  );
  if (mine || places.freeSlot() !== null) return null;
  const labels = [...places.slots.values()].map(({ task: other }) => `${other.slug}#${other.n}`).join(", ");
  return setting.mode === "in_place"
    ? { code: "not_clean", text: `the checkout holds the work of ${labels}` }
    : { code: "no_slot", text: `all worktrees are in use (${labels})` };
}
