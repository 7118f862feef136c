/** Every command, in the order of help. Nothing of an implementation is loaded before its command is called. */

import type { CommandSpec } from "./command.ts";
import { AGENT_COMMANDS } from "./table/agent-commands.ts";
import { LIVE_COMMANDS } from "./table/live-commands.ts";
import { PLAN_COMMANDS } from "./table/plan-commands.ts";
import { PROJECT_COMMANDS } from "./table/project-commands.ts";
import { RUN_COMMANDS } from "./table/run-commands.ts";
import { SELF_COMMANDS } from "./table/self-commands.ts";
import { SHELL_COMMANDS } from "./table/shell-commands.ts";
import { TASK_COMMANDS } from "./table/task-commands.ts";
import { WATCH_COMMANDS } from "./table/watch-commands.ts";
import { WORK_COMMANDS } from "./table/work-commands.ts";

export const COMMANDS: readonly CommandSpec[] = [
  ...PROJECT_COMMANDS,
  ...PLAN_COMMANDS,
  ...WORK_COMMANDS,
  ...RUN_COMMANDS,
  ...LIVE_COMMANDS,
  ...WATCH_COMMANDS,
  ...TASK_COMMANDS,
  ...AGENT_COMMANDS,
  ...SHELL_COMMANDS,
  ...SELF_COMMANDS,
];
