import type { RunWait } from "../../engine/run-request.ts";
import type { Terminal } from "../terminal.ts";

/** Says what a run waits for, once for each thing: a run that is silent looks like one that hangs. */
export function waitTeller(terminal: Terminal): (wait: RunWait) => void {
  let last = "";
  return (wait) => {
    const text = waitText(wait, terminal);
    if (text !== last && !terminal.json) terminal.note(text);
    last = text;
  };
}

function waitText({ others, put_off, items, until, space, idle }: RunWait, terminal: Terminal): string {
  const things = [
    others > 0 ? `${others} ${others === 1 ? "task" : "tasks"} in other hands (\`lockstep status\`)` : "",
    put_off > 0
      ? `${put_off} ${put_off === 1 ? "landing that was" : "landings that were"} put off (\`lockstep status\`)`
      : "",
    items > 0 ? `${items} open in \`lockstep inbox\`` : "",
    space ?? "",
  ].filter((thing) => thing !== "");
  if (idle && things.length === 0) return "stays     nothing is left to do; `lockstep stop` ends the run";
  const time = until === null ? "" : `, until ${terminal.time(until)} at the latest`;
  return `waits     for ${things.length === 0 ? "its time" : things.join(" and ")}${time}`;
}
