/** An agent in a place of its own: home, temporary directory, sandbox; and no secret of it is written. */

import { existsSync, mkdirSync, realpathSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import type { Agent, AgentRequest } from "../../ports/agent.ts";
import type { SandboxView } from "../../ports/processes.ts";
import type { Isolation } from "../../ports/runner.ts";
import { MCP_FILE } from "../agent/claude-mcp.ts";
import { gitPlaces } from "./git-places.ts";
import { PATH_VARIABLE, prepareHome, takeBack } from "./own-home.ts";

/** A log-in that was renewed must soon be that of all agents: the old one may be worth nothing any more. */
const TAKE_BACK_MS = 2_000;

export interface IsolatedOptions {
  isolation: Isolation;
  redaction: NonNullable<AgentRequest["redaction"]>;
  /** What it may read of lockstep's own in its sandbox. */
  own: string[];
}

/** Every turn of the attempt has the same place; whoever settles it removes what is of no use after the last. */
export function isolatedAgent(agent: Agent, { isolation, redaction, own }: IsolatedOptions): Agent {
  const { home, temporary } = isolation;
  return {
    run: async (request) => {
      const told = new Set<string>();
      const tell = (problems: string[]): void => {
        for (const text of problems) {
          if (!told.has(text)) request.tell({ type: "note", text });
          told.add(text);
        }
      };
      if (temporary !== null) mkdirSync(temporary, { recursive: true, mode: 0o700 });
      if (home !== null) tell(prepareHome(home));
      const look = home === null ? undefined : setInterval(() => tell(takeBack(home)), TAKE_BACK_MS);
      try {
        const env = { ...request.env, ...placesOf(isolation, request.env["PATH"]) };
        const sandbox = viewOf(isolation, request, own);
        return await agent.run({ ...request, env, redaction, ...(sandbox === null ? {} : { sandbox }) });
      } finally {
        clearInterval(look);
        if (home !== null) tell(takeBack(home));
      }
    },
  };
}

function placesOf({ home, temporary }: Isolation, path = ""): Record<string, string> {
  return {
    ...(home === null ? {} : { HOME: home.dir, [PATH_VARIABLE]: path }),
    ...(temporary === null ? {} : { TMPDIR: temporary, TMP: temporary, TEMP: temporary }),
  };
}

/** Null without a sandbox. */
function viewOf({ home, temporary, sandbox }: Isolation, request: AgentRequest, own: string[]): SandboxView | null {
  if (sandbox === null) return null;
  const git = gitPlaces(request.brief.workspace);
  const links =
    home === null
      ? []
      : home.shares.filter(({ from, how }) => how === "link" && existsSync(from)).map(({ from }) => realpathSync(from));
  return {
    hidden: sandbox.hidden,
    readable: [...own, ...sandbox.readable, ...(home?.git ?? []), ...git.readable],
    writable: [
      ...[request.brief.workspace, ...git.writable, ...links],
      ...(home === null ? [] : [home.dir]),
      ...(temporary === null ? [] : [temporary]),
    ],
    network: sandbox.network,
  };
}

/** What an agent may read of its attempt's folder, and the program of `lockstep self` with all that it needs. */
export function ownPlaces(dir: string, programDir: string): string[] {
  return [join(dir, "brief.json"), join(dir, MCP_FILE), join(dir, "bin"), ...installedWith(programDir)];
}

/** Its packages stand beside it where it was installed, and in its own folder where it is a clone. */
function installedWith(programDir: string): string[] {
  const real = realpathSync(programDir);
  const parts = real.split(sep);
  const modules = parts.lastIndexOf("node_modules");
  if (modules !== -1) return [programDir, parts.slice(0, modules + 1).join(sep)];
  const root = dirname(dirname(real));
  return [programDir, dirname(real), join(root, "node_modules"), join(root, "package.json")];
}
