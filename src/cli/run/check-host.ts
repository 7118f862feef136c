import { hostProblem } from "../../compose/windows.ts";
import type { OpenProject } from "../../compose.ts";
import type { HostName } from "../../config/availability.ts";
import type { Call } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { Failure } from "../failure.ts";
import { textOption } from "../read-options.ts";

/** Says before anything is claimed that the attempts could not be shown as it is asked for. */
export async function checkHost(call: Call, project: OpenProject): Promise<void> {
  const problem = await hostProblem(project, { host: textOption(call, "host") as HostName | null, env: call.env });
  if (problem !== null) throw new Failure(problem.code, problem.message, problem.hint, { exit: EXIT.usage });
}
