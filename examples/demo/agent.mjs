// A scripted agent: it knows the answer to each task of the demo, and gets one of them wrong at first.
// Like any command agent it is told its one task by a brief, works in the current directory, and ends with 0.
import { cpSync, existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const brief = JSON.parse(readFileSync(process.env.LOCKSTEP_BRIEF, "utf8"));
const solutions = fileURLToPath(new URL("./solutions/", import.meta.url));
const firstTry = `${solutions}${brief.task.id}.first-try`;
const isFirst = brief.last_failure === null;
cpSync(isFirst && existsSync(firstTry) ? firstTry : `${solutions}${brief.task.id}`, brief.workspace, {
  recursive: true,
});
console.log(isFirst ? `wrote ${brief.task.title}` : "read what the check said, and tried again");
