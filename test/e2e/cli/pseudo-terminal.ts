/** The built command line on a pseudo terminal of util-linux's `script`, and what a person would see on it. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { onTestFinished } from "vitest";
import { FakeTerminal } from "../../fixtures/terminal.ts";
import { type Lab, MAIN } from "./lab.ts";

/** What Ctrl-C sends. */
export const INTERRUPT = "\u0003";

export interface OnTerminal {
  /** The command's own process, which leads the terminal's foreground. */
  pid: number;
  /** Every character that was written. */
  output(): string;
  terminal(): FakeTerminal;
  /** Resolves when the terminal shows that text. */
  shows(text: string): Promise<void>;
  type(keys: string): void;
  ended: Promise<number | null>;
}

export async function onTerminal(
  lab: Lab,
  args: readonly string[],
  { columns = 80, rows = 24, env = {} }: { columns?: number; rows?: number; env?: NodeJS.ProcessEnv } = {},
): Promise<OnTerminal> {
  const command = `echo $$; stty cols ${columns} rows ${rows}; exec "${process.execPath}" "${MAIN}" ${args.join(" ")}`;
  const child = spawn("script", ["-qefc", command, "/dev/null"], {
    cwd: lab.dir,
    env: { ...lab.env, TERM: "xterm-256color", SHELL: "/bin/sh", ...env },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = once(child, "close").then(([code]) => code as number | null);
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  while (!text.includes("\n")) await once(child.stdout, "data");
  const output = (): string => text.slice(text.indexOf("\n") + 1);
  const terminal = (): FakeTerminal => {
    const shown = new FakeTerminal(columns, rows);
    shown.write(output());
    return shown;
  };
  const shows = async (wanted: string): Promise<void> => {
    while (!terminal().lines.join("\n").includes(wanted)) {
      const over = ended.then((code) => {
        throw new Error(`ended with ${code} before it showed ${JSON.stringify(wanted)}: ${output()}`);
      });
      await Promise.race([once(child.stdout, "data"), over]);
    }
  };
  return {
    pid: Number.parseInt(text, 10),
    output,
    terminal,
    shows,
    type: (keys) => void child.stdin.write(keys),
    ended,
  };
}
