import type { TaskRecord } from "../ports/store.ts";

/** Tasks whose worker brings its own place share no target: each has one of its own. */
export function landingTarget({ row }: TaskRecord): string {
  return row.mode === "none" ? `none/${row.plan}/${row.slug}` : row.target;
}
