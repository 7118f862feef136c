import { existsSync, writeFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { CONFIG_FILE, isInRepository, rootAbove } from "../../compose.ts";
import { CONFIG_TEMPLATE } from "../../config/template.ts";
import type { CommandRun } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { Failure } from "../failure.ts";
import { PLAN_TEMPLATE } from "../plan-template.ts";

/** Names that a plan file usually has: where one of them is, no example is written. */
const PLAN_FILES = ["plan.yaml", "plan.yml", "plan.json", "DAG.json", "plan/DAG.json"];

export const run: CommandRun = async ({ cwd, terminal }) => {
  const root = rootAbove(cwd);
  if (root !== null) {
    const where = root === cwd ? "this directory" : root;
    throw new Failure(
      "project_exists",
      `${where} is a project already: ${join(root, CONFIG_FILE)}`,
      "Change that file; nothing was written.",
    );
  }
  if (["HEAD", "objects", "refs"].every((name) => existsSync(join(cwd, name))))
    throw new Failure(
      "bare_repository",
      "this is a bare repository, in which nothing can be worked on",
      "Clone it, and run `lockstep init` in the clone; nothing was written.",
    );
  const found = PLAN_FILES.find((name) => existsSync(join(cwd, name)));
  write(cwd, CONFIG_FILE, CONFIG_TEMPLATE);
  if (found === undefined) write(cwd, "plan.yaml", PLAN_TEMPLATE);
  const plan = found ?? "plan.yaml";
  const written = [CONFIG_FILE, ...(found === undefined ? [plan] : [])];
  if (terminal.json) terminal.printJson({ written, plan });
  else {
    terminal.print(`wrote ${written.join(" and ")} in ${basename(cwd)}`);
    if (isInRepository(cwd))
      terminal.note(
        `next: git add ${written.join(" ")} && git commit -m 'Add lockstep'   (agents see what is committed)`,
      );
    terminal.note(
      `${isInRepository(cwd) ? "then" : "next"}: lockstep plan load ${relative(process.cwd(), join(cwd, plan)) || plan}`,
    );
  }
  return EXIT.ok;
};

/** Never over a file that somebody else has just made. */
function write(cwd: string, name: string, text: string): void {
  try {
    writeFileSync(join(cwd, name), text, { flag: "wx" });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new Failure(
      "not_writable",
      `${name} cannot be written: ${message}`,
      "Check the permissions and the free space of this directory.",
    );
  }
}
