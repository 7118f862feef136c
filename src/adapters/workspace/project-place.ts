import { linkSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { ANCESTORS_MAX, findRepository } from "./repository-place.ts";

/** The file that makes a directory a project. */
export const CONFIG_FILE = "lockstep.yaml";

/** Where a project lies on this node. */
export interface ProjectPlace {
  /** The directory that holds `lockstep.yaml`. */
  root: string;
  kind: "repository" | "directory";
  /** The folder of lockstep's own files: `<git common dir>/lockstep`, or `.lockstep` in a plain directory. */
  home: string;
  /** Null until `claimProject` has given it one. */
  id: string | null;
}

/** `text` says what is wrong and what to do. */
interface PlaceRefusal {
  code: "no_project" | "duplicate_project" | "broken_project_id" | "unwritable";
  text: string;
}

/** What this node knows of a project: `<stateDir>/places/<id>.json`. */
interface KnownPlace {
  home: string;
  root: string;
}

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Errors of file systems without hard links. */
const NO_LINKS = new Set(["EPERM", "ENOSYS", "EOPNOTSUPP", "ENOTSUP", "EMLINK"]);

/**
 * The project that a directory lies in: the nearest one upwards with a `lockstep.yaml`. Changes nothing and starts no
 * process. A copy of a project whose original still lives on this node is refused. `stateDir`: `$XDG_STATE_HOME/lockstep`.
 */
export function findProject(startDir: string, stateDir: string): ProjectPlace | PlaceRefusal {
  const root = findRoot(startDir);
  if (root === null) {
    return {
      code: "no_project",
      text: `no ${CONFIG_FILE} in ${resolve(startDir)} or above it: make one with \`lockstep init\``,
    };
  }
  const repository = findRepository(root);
  const plain = join(root, ".lockstep");
  const home = repository === null ? plain : join(repository.common_dir, "lockstep");
  // A directory that has become a repository keeps the id that it had before.
  const id = readId(home) ?? readId(plain);
  if (id !== null && !ID.test(id)) {
    return { code: "broken_project_id", text: `${join(home, "id")} holds no id: remove it, or put back what it held` };
  }
  const place: ProjectPlace = { root, kind: repository === null ? "directory" : "repository", home, id };
  return id === null ? place : (duplicate(place, id, stateDir) ?? place);
}

/**
 * Gives a project its id, if it has none, and records where it lies. Any number of processes may do so at once: all get
 * the same id. `newId` makes a uuid.
 */
export function claimProject(
  place: ProjectPlace,
  { stateDir, newId }: { stateDir: string; newId: () => string },
): (ProjectPlace & { id: string }) | PlaceRefusal {
  try {
    mkdirSync(place.home, { recursive: true });
    if (place.kind === "directory") writeFileSync(join(place.home, ".gitignore"), "*\n");
    const id = createOnce(join(place.home, "id"), `${place.id ?? newId()}\n`).trim();
    const refusal = duplicate(place, id, stateDir) ?? register(place, id, stateDir);
    return refusal ?? { ...place, id };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return { code: "unwritable", text: `lockstep cannot keep its files for ${place.root}: ${message}` };
  }
}

function findRoot(startDir: string): string | null {
  let at = realpathOr(resolve(startDir));
  for (let depth = 0; depth < ANCESTORS_MAX; depth += 1) {
    if (statSync(join(at, CONFIG_FILE), { throwIfNoEntry: false })?.isFile()) return at;
    const parent = dirname(at);
    if (parent === at) return null;
    at = parent;
  }
  return null;
}

/** The refusal, when this id is known at another place that still bears it. */
function duplicate(place: ProjectPlace, id: string, stateDir: string): PlaceRefusal | null {
  const known = knownPlace(stateDir, id);
  if (known === null || known.root === place.root || realpathOr(known.home) === realpathOr(place.home)) return null;
  if (readId(known.home) !== id) return null;
  const file = join(place.home, "id");
  const text = `${place.root} is a copy of the project at ${known.root}: both have the id ${id}. To make it a project of its own, remove ${file}`;
  return { code: "duplicate_project", text };
}

function register(place: ProjectPlace, id: string, stateDir: string): PlaceRefusal | null {
  const { home, root } = place;
  const known = knownPlace(stateDir, id);
  if (known !== null && realpathOr(known.home) === realpathOr(home)) return null;
  const file = placeFile(stateDir, id);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const text = `${JSON.stringify({ home, root })}\n`;
  if (known === null) createOnce(file, text);
  else replace(file, text);
  // Of two copies that are claimed at once one has been recorded; the other one sees so here.
  return duplicate(place, id, stateDir);
}

function knownPlace(stateDir: string, id: string): KnownPlace | null {
  const text = readOr(placeFile(stateDir, id));
  return text === null ? null : (JSON.parse(text) as KnownPlace);
}

function placeFile(stateDir: string, id: string): string {
  return join(stateDir, "places", `${id}.json`);
}

function readId(home: string): string | null {
  return readOr(join(home, "id"))?.trim() ?? null;
}

/** Makes a file with all of its content at once, unless it is there; gives what it holds then. */
function createOnce(file: string, text: string): string {
  const next = `${file}.${process.pid}`;
  writeFileSync(next, text, { mode: 0o600 });
  try {
    linkSync(next, file);
    return text;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "";
    if (NO_LINKS.has(code)) return createWithoutLink(file, text);
    if (code !== "EEXIST") throw error;
    return readFileSync(file, "utf8");
  } finally {
    rmSync(next, { force: true });
  }
}

function createWithoutLink(file: string, text: string): string {
  try {
    writeFileSync(file, text, { flag: "wx", mode: 0o600 });
    return text;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return readFileSync(file, "utf8");
  }
}

function replace(file: string, text: string): void {
  const next = `${file}.${process.pid}`;
  writeFileSync(next, text, { mode: 0o600 });
  renameSync(next, file);
}

function readOr(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    throw error;
  }
}

function realpathOr(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return path;
    throw error;
  }
}
