/** What changes a store: the handlers of every command. */

export { loadIn } from "./plan-load.ts";
export { submitAllIn, submitIn } from "./submit.ts";
