import type { Socket } from "node:net";
import { invariant } from "../../core/assert.ts";
import type { HeldProcess, ProcessIdentity } from "../../ports/processes.ts";
import { type Child, type ChildRequest, type NotStarted, startChild } from "./child.ts";
import { signalGroup } from "./group.ts";
import { identify } from "./identity.ts";
import { isShortage } from "./proc-files.ts";
import { closeOutput, notStarted, type SuperviseRequest, supervise } from "./supervise.ts";

/**
 * Bash waits for one line at descriptor 3 before it goes on with the rest of its line; when the parent dies instead, the
 * read fails and bash ends with the rest unrun.
 */
export const GATE = "read -r _ <&3 || exit 125; exec 3<&-; ";

/** Starts a script that begins with the gate, and holds it there. `onRelease` runs just before it is let go. */
export async function hold(
  request: Omit<ChildRequest, "gate">,
  limits: SuperviseRequest,
  onRelease: (child: Child) => void = () => {},
): Promise<HeldProcess> {
  const child = await startChild({ ...request, gate: "pipe" });
  if ("reason" in child) return neverStarted(child.reason);
  const gate = child.process.stdio[3] as Socket;
  // The gate breaks when bash ended before it was let go; its exit then says all there is to say.
  gate.on("error", () => gate.destroy());
  const identity = identityOf(child);
  if (identity !== null && "reason" in identity) {
    await endUnrun(child, gate);
    return neverStarted(identity.reason);
  }
  let done = false;
  const once = () => {
    invariant(!done, "a held process was let go or ended twice");
    done = true;
  };
  return {
    process: identity,
    release: () => {
      once();
      if (!limits.signal?.aborted) {
        onRelease(child);
        gate.end("\n");
      } else gate.destroy();
      return supervise(child, limits);
    },
    abandon: () => {
      once();
      return endUnrun(child, gate);
    },
  };
}

/** What stands for a process that could not be started. */
export function neverStarted(reason: string): HeldProcess {
  return { process: null, release: async () => notStarted(reason), abandon: async () => {} };
}

/** Null when it has ended already; a reason when the machine cannot even be asked: then nobody could end it later. */
function identityOf({ pid }: Child): ProcessIdentity | null | NotStarted {
  try {
    return identify(pid);
  } catch (error) {
    if (!isShortage(error)) throw error;
    return { reason: `the process that was started cannot be looked at: ${(error as Error).message}` };
  }
}

async function endUnrun(child: Child, gate: Socket): Promise<void> {
  gate.destroy();
  child.process.stdin?.destroy();
  signalGroup(child.pid, "SIGKILL");
  await child.exit;
  await child.drained();
  await closeOutput(child, null);
}
