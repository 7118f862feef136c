/** Wishes about what people are asked. */

import type { ItemKind, ItemOption, ItemWait } from "../rows.ts";

export interface ItemOpen {
  type: "item.open";
  plan: string;
  task: string | null;
  kind: ItemKind;
  text: string;
  options: ItemOption[];
  default_option: string | null;
  deadline_at: number | null;
  /** Absent: no agent waits for the answer. */
  wait?: ItemWait;
}

export interface ItemAnswer {
  type: "item.answer";
  plan: string;
  item: string;
  option: string;
  text: string | null;
}

export interface ItemExpire {
  type: "item.expire";
  plan: string;
  item: string;
}
