/** `says.ts LINES [full|on]`: writes lines of 100 bytes over the command line's output; `full`: into a pipe that is full by then; `on`: goes on when nobody reads. */

import { writeSync } from "node:fs";
import { openOutput } from "../../../../src/cli/output.ts";

const [lines, how] = process.argv.slice(2);
if (how === "full") fill();
const output = openOutput("stdout", how === "on" ? "goes on" : "ends");
for (let i = 0; i < Number(lines); i++) output.write(`${String(i).padStart(99, ".")}\n`);
// What it does besides goes on, heard or not.
if (how === "on") setTimeout(() => process.exit(7), 200);

/** As a process does that shares this output: its end never waits, and its reader has fallen behind. */
function fill(): void {
  // The platform's stream opens the pipe so that nothing which is written to it ever waits.
  if (process.stdout.writableLength > 0) return;
  for (;;) {
    try {
      writeSync(1, "filling\n");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EAGAIN") return;
      throw error;
    }
  }
}
