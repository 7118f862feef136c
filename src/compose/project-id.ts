/** A project's id: made once, kept beside the project, and tied on this node to the one place where it lives. */

import {
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { makeFolder } from "../adapters/store/sqlite/make-folder.ts";
import type { ProjectPlace } from "./find-project.ts";
import { CONFIG_FILE } from "./find-project.ts";
import { projectStateDir } from "./paths.ts";
import { ProjectUnusable } from "./unusable.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The project's id, or null when it has none yet. */
export function readProjectId(place: ProjectPlace): string | null {
  const file = idFile(place);
  const text = readIfThere(file)?.trim() ?? null;
  if (text === null || UUID.test(text)) return text;
  throw new ProjectUnusable(
    "project_id",
    `${file} holds no project id`,
    `Bring it back, or remove it: rm '${file}'. Without it the project's plans are loaded anew.`,
  );
}

/** The project's id, made when it has none. Safe when several processes do so at once: all get the same. */
export function ensureProjectId(place: ProjectPlace, newId: () => string): string {
  const known = readProjectId(place);
  if (known !== null) return known;
  const file = idFile(place);
  const draft = `${file}.${process.pid}`;
  try {
    mkdirSync(place.home, { recursive: true });
    writeFileSync(draft, `${newId()}\n`);
    publish(draft, file);
    return readProjectId(place)!;
  } catch (error) {
    throw notWritable(error, file);
  }
}

/** A whole file appears under its name or none does, and the first one stays. */
function publish(draft: string, file: string): void {
  try {
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    unlinkSync(draft);
  }
}

interface KnownPlace {
  root: string;
  home: string;
  folder: string;
  /** Tells the directory around `home` from another one that was made under its name later; null where nothing does. */
  made: string | null;
}

/**
 * The id of a project whose id file is gone: an agent may have removed it, and without it all its plans would be out of
 * reach. Null when this place was never one, or is not the very directory that it was.
 */
export function lostProjectId(place: ProjectPlace, stateDir: string): string | null {
  const made = whenMade(place);
  const ids = made === null ? [] : idsIn(stateDir);
  return (
    ids.find((id) => {
      const known = parsePlace(readIfThere(placeFile(stateDir, id)));
      return known?.home === place.home && known.folder === place.folder && known.made === made;
    }) ?? null
  );
}

function idsIn(stateDir: string): string[] {
  try {
    return readdirSync(dirname(projectStateDir(stateDir, "id")));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw notWritable(error, stateDir);
  }
}

function placeFile(stateDir: string, id: string): string {
  return join(projectStateDir(stateDir, id), "place.json");
}

function whenMade({ home }: ProjectPlace): string | null {
  const { ino, birthtimeMs } = statSync(dirname(home));
  return birthtimeMs > 0 ? `${ino} ${Math.floor(birthtimeMs)}` : null;
}

/**
 * Refuses an id that another living place of this node has: a copied project would act on the other's plans. A project
 * that was moved is followed (`record`: by writing down where it is now). Linked work trees of a repository are one place.
 */
export function checkPlace(place: ProjectPlace, id: string, stateDir: string, record: boolean): void {
  const file = placeFile(stateDir, id);
  const known = parsePlace(readIfThere(file));
  const isHere = known?.home === place.home && known.folder === place.folder;
  if (known !== null && !isHere && isAlive(known, id)) throw elsewhere(place, known);
  const now: KnownPlace = { root: place.root, home: place.home, folder: place.folder, made: whenMade(place) };
  if (record && (!isHere || known.made !== now.made)) writePlace(file, now);
}

/** Where the project was last on this node; null when it never was, or is there no more. */
export function knownRoot(id: string, stateDir: string): string | null {
  const known = parsePlace(readIfThere(placeFile(stateDir, id)));
  return known !== null && isAlive(known, id) ? known.root : null;
}

/** A note that a power cut left half written is as good as none: it is written anew. */
function parsePlace(text: string | null): KnownPlace | null {
  if (text === null || !text.endsWith("}\n")) return null;
  return JSON.parse(text) as KnownPlace;
}

function isAlive({ root, home }: KnownPlace, id: string): boolean {
  const isProject = statSync(join(root, CONFIG_FILE), { throwIfNoEntry: false }) !== undefined;
  return isProject && readIfThere(join(home, "id"))?.trim() === id;
}

function elsewhere(place: ProjectPlace, known: KnownPlace): ProjectUnusable {
  if (known.home === place.home) {
    const message = `this repository is the project of ${known.root} already, and one repository is one project`;
    return new ProjectUnusable("project_elsewhere", message, `Work from ${known.root}, or remove its ${CONFIG_FILE}.`);
  }
  const message = `this project has the id of the project in ${known.root}: it is a copy`;
  return new ProjectUnusable("project_elsewhere", message, `Give the copy an id of its own: rm '${idFile(place)}'`);
}

function writePlace(file: string, place: KnownPlace): void {
  try {
    makeFolder(dirname(file));
    writeFileSync(`${file}.${process.pid}`, `${JSON.stringify(place)}\n`);
    renameSync(`${file}.${process.pid}`, file);
  } catch (error) {
    throw notWritable(error, file);
  }
}

function idFile({ home }: ProjectPlace): string {
  return join(home, "id");
}

function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    throw notWritable(error, file);
  }
}

/** An error of the file system is the machine's doing; any other is a bug of ours and goes on. */
function notWritable(error: unknown, file: string): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === undefined || error instanceof ProjectUnusable) return error;
  return new ProjectUnusable(
    "not_writable",
    `${file} cannot be written or read: ${message}`,
    "Check the permissions and the free space of its folder.",
  );
}
