import { taskRenew } from "../../engine/external.ts";
import { CLAIM_TTL_MS } from "../claim-ttl.ts";
import type { CommandRun } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { refused } from "../failure.ts";
import { durationOption, requiredToken } from "../read-options.ts";

export const run: CommandRun = async (call) => {
  const { args, session, terminal } = call;
  const token = requiredToken(call);
  const ttlMs = durationOption(call, "ttl", CLAIM_TTL_MS);
  const { plan, record } = await session.task(args[0]!);
  const answer = await taskRenew(await session.context(), plan, record.row.id, token, ttlMs);
  if (!answer.ok) throw refused(answer.rejection);
  const renewed = answer.events.find((event) => event.type === "lease.renewed");
  const expires_at = renewed?.type === "lease.renewed" ? renewed.data.expires_at : null;
  const { id, attempts } = record.row;
  if (terminal.json) terminal.printJson({ task: id, attempt: attempts, token, expires_at });
  else terminal.print(`${id} is held${expires_at === null ? "" : `; the claim runs out ${terminal.time(expires_at)}`}`);
  return EXIT.ok;
};
