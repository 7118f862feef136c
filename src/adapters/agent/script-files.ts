/** The steps of a script that touch files; none ever touches one outside its workspace. */

import { appendFile, lstat, mkdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import type { Step } from "./script.ts";

export type FileStep = Extract<Step, { path: string }>;

/** Plays one step; gives what is wrong, for people, or null. */
export async function playFileStep(workspace: string, step: FileStep): Promise<string | null> {
  try {
    const file = await placeIn(workspace, step.path);
    if (file === null) return "a symbolic link leads out of the workspace";
    return await play(file, step);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return code === "ENOENT" ? "there is no such file" : message;
  }
}

async function play(file: string, step: FileStep): Promise<string | null> {
  switch (step.do) {
    case "write":
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, step.text);
      return null;
    case "append":
      await mkdir(dirname(file), { recursive: true });
      await appendFile(file, step.text);
      return null;
    case "replace": {
      const text = await readFile(file, "utf8");
      if (!text.includes(step.old)) return `${JSON.stringify(step.old)} does not stand in it`;
      await writeFile(
        file,
        text.replaceAll(step.old, () => step.new),
      );
      return null;
    }
    case "delete":
      await rm(file, { recursive: true });
      return null;
  }
}

/**
 * Absolute path of a file in the workspace, or null where a symbolic link on the way leads out of it, or nowhere: a write
 * would follow it. The last part of a path may be a link that is only to be deleted: that one is refused as well.
 */
async function placeIn(workspace: string, path: string): Promise<string | null> {
  const root = await realpath(workspace);
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  for (let count = 1; count <= parts.length; count += 1) {
    const link = join(root, ...parts.slice(0, count));
    if (!(await isLink(link))) continue;
    const target = await realpath(link).catch(whenMissing);
    if (target === null || !target.startsWith(root + sep)) return null;
  }
  return join(root, ...parts);
}

async function isLink(file: string): Promise<boolean> {
  const found = await lstat(file).catch(whenMissing);
  return found?.isSymbolicLink() ?? false;
}

function whenMissing(error: NodeJS.ErrnoException): null {
  if (error.code === "ENOENT" || error.code === "ENOTDIR" || error.code === "ELOOP") return null;
  throw error;
}
