import type { CommandRun } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { isGiven, textOption } from "../read-options.ts";
import { tellRunner } from "../tell-runner.ts";

interface Answered {
  question: number;
  /** Null when the agent goes on without, or when nobody answered in time: then the attempt is ending. */
  answer: string | null;
}

export const run: CommandRun = async (call) => {
  const [question, ...options] = call.args;
  const can_continue = isGiven(call, "can-continue");
  const report = { question, options, default: textOption(call, "default"), can_continue };
  const { answer, ...asked } = await tellRunner<Answered>(call, "/ask", report);
  if (call.terminal.json) call.terminal.printJson({ ...asked, answer });
  else if (answer !== null) call.terminal.print(answer);
  else call.terminal.note(can_continue ? "asked; go on without the answer" : "nobody answered: the attempt ends here");
  return answer === null && !can_continue ? EXIT.parked : EXIT.ok;
};
