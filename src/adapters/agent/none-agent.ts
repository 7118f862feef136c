import { ended } from "./ended.ts";
import type { InlineWork } from "./inline-host.ts";

/** Does nothing: for plans whose tasks only check. */
export const noneAgent: InlineWork = async () => ended("succeeded", null);
