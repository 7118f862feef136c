/** An engine in a process of its own, whose landings suffer faults, a death too: `fault-engine.ts ORDER`, the order in JSON. */

import { openProject } from "../../src/compose.ts";
import type { PlannedFault } from "../fixtures/faults.ts";
import { carryThroughFaults } from "../prove/fault-run.ts";

export interface FaultOrder {
  root: string;
  aside: string;
  planned: PlannedFault[];
}

const { root, aside, planned } = JSON.parse(process.argv[2]!) as FaultOrder;
const project = await openProject({ cwd: root, env: process.env, writes: true, actor: "child" });
const context = await project.context();
const plan = (await context.store.planNamed(project.id, "lab"))!;
console.log(JSON.stringify(await carryThroughFaults({ root, aside, context, plan }, planned)));
await project.close();
