/** A reader of the pages: carries out what stands in them, in a home, a state directory and a shell of its own. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { endBearers } from "../../fixtures/left-processes.ts";

export interface Reader {
  /** Holds everything; its `lockstep` stands for the reader's clone. */
  aside: string;
  env: NodeJS.ProcessEnv;
}

/** One command of a block, as it went. */
export interface Carried {
  command: string;
  status: number;
  /** What it printed on both streams. */
  said: string;
}

export interface Fence {
  language: string;
  text: string;
}

/** Absolute path of a file of this repository. */
export const at = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

/** The blocks of code of a page in their order. */
export function fencesOf(page: string): Fence[] {
  return [...page.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map((match) => ({ language: match[1]!, text: match[2]! }));
}

/** The shell's blocks of a page of this repository. */
export function shellBlocksOf(path: string): string[] {
  const page = readFileSync(at(path), "utf8");
  return fencesOf(page).flatMap(({ language, text }) => (language === "bash" ? [text] : []));
}

/** With `lockstep` on the PATH, and a clone beside which projects may be made. */
export function makeReader(): Reader {
  const aside = realpathSync(mkdtempSync(join(tmpdir(), "lockstep reader ")));
  const mark = `reader-${aside.slice(-6)}`;
  onTestFinished(() => {
    endBearers(`LAB_MARK=${mark}`);
    rmSync(aside, { recursive: true, force: true, maxRetries: 5 });
  });
  for (const name of ["home", "bin", "lockstep"]) mkdirSync(join(aside, name));
  symlinkSync(at("examples"), join(aside, "lockstep", "examples"));
  const program = `#!/bin/sh\nexec "${process.execPath}" "${at("dist/cli/main.cjs")}" "$@"\n`;
  writeFileSync(join(aside, "bin", "lockstep"), program, { mode: 0o755 });
  const inherited = Object.entries(process.env).filter(([name]) => !/^(GIT|npm)_/.test(name));
  const person = { NAME: "reader", EMAIL: "reader@localhost" };
  const identity = Object.entries(person).flatMap(([name, value]) => [
    [`GIT_AUTHOR_${name}`, value],
    [`GIT_COMMITTER_${name}`, value],
  ]);
  const env = {
    ...Object.fromEntries([...inherited, ...identity]),
    PATH: `${join(aside, "bin")}:${process.env["PATH"]}`,
    HOME: join(aside, "home"),
    XDG_STATE_HOME: join(aside, "state"),
    GIT_CONFIG_GLOBAL: "/dev/null",
    LAB_MARK: mark,
  };
  return { aside, env };
}

const MARK = "\u001e";

export interface Carrying {
  /** Resolves when those words have been printed. */
  says(words: string): Promise<void>;
  ended: Promise<Carried[]>;
}

/** Carries out a block line by line in one shell, and tells how each command went. */
export function begin({ env }: Reader, block: string, cwd: string): Carrying {
  const commands = block.split("\n").filter((line) => line.trim() !== "");
  const script = commands.map((command) => `${command}\nprintf '${MARK}%s${MARK}' "$?"\n`).join("");
  const stdio = ["ignore", "pipe", "inherit"] as const;
  const child = spawn("bash", ["--norc", "-c", `exec 2>&1\n${script}`], { cwd, env, stdio: [...stdio] });
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  const ended = once(child, "close").then(() => {
    const parts = said.split(MARK);
    return commands.map((command, index) => ({
      command,
      status: Number(parts[2 * index + 1]),
      said: parts[2 * index] ?? "",
    }));
  });
  return {
    ended,
    says: async (words) => {
      const over = ended.then(() => {
        if (!said.includes(words)) throw new Error(`it ended without ${JSON.stringify(words)}: ${said}`);
      });
      while (!said.includes(words)) await Promise.race([once(child.stdout, "data"), over]);
    },
  };
}

/** The same to its end. */
export function carryOut(reader: Reader, block: string, cwd: string): Promise<Carried[]> {
  return begin(reader, block, cwd).ended;
}
