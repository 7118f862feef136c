/** `npm run bench [NAME]`: every figure beside its floor, measured in turn in this run. */

import { checkLoop } from "./check-loop.ts";
import { claimSettle } from "./claim-settle.ts";
import { foresight } from "./foresight.ts";
import { landings } from "./landings.ts";
import { load } from "./load.ts";
import { print } from "./measure.ts";
import { runners } from "./runners.ts";
import { startup } from "./startup.ts";
import { worktrees } from "./worktrees.ts";

const ALL = {
  startup,
  "claim-settle": claimSettle,
  "check-loop": checkLoop,
  load,
  worktrees,
  landings,
  runners,
  foresight,
};

const wanted = process.argv[2];
for (const [name, bench] of Object.entries(ALL)) if (wanted === undefined || wanted === name) print(await bench());
