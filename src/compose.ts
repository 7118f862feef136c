/**
 * The composition root: with the modules of `compose/` the only code that knows every adapter. What every command needs
 * stands here; what only some need is imported from its module, so that the others start without it.
 */

export { commandLineActor } from "./compose/actor.ts";
export type { Configuration } from "./compose/configuration.ts";
export { checkConfiguration } from "./compose/configuration.ts";
export { CONFIG_FILE, findProject, isInRepository, rootAbove } from "./compose/find-project.ts";
export { openProject } from "./compose/open-project.ts";
export { stateDirOf } from "./compose/paths.ts";
export type { OpenProject, ProjectOptions } from "./compose/project.ts";
export type { UnusableCode } from "./compose/unusable.ts";
export { ProjectUnusable } from "./compose/unusable.ts";
