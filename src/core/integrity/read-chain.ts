import type { Source } from "./survey.ts";

/** One name of a chain of calls, with the offsets of what stands in its brackets; without brackets they are null. */
export interface Segment {
  name: string;
  from: number | null;
  to: number | null;
}

export interface Chain {
  segments: Segment[];
  /** Behind the chain. */
  to: number;
}

/** Longer chains are read by their beginning. */
const SEGMENTS_MAX = 16;

/** The next link of a chain stands within so many blanks. */
const BLANKS_MAX = 200;

/** `head(…).name.name(…)`; null where nothing in brackets follows the head at all. */
export function chainAt(source: Source, at: number, head: string): Chain | null {
  const { bare, brackets } = source;
  const segments: Segment[] = [];
  let name = head;
  let behind = at + head.length;
  for (let count = 0; count < SEGMENTS_MAX; count++) {
    const open = openingAt(bare, behind);
    const close = open === null ? undefined : brackets.get(open);
    if (open !== null && close !== undefined) {
      segments.push({ name, from: open + 1, to: close });
      behind = close + 1;
    } else {
      segments.push({ name, from: null, to: null });
    }
    const link = linkAt(bare, behind);
    if (link === null) break;
    name = link.name;
    behind = link.behind;
  }
  const isRuby = source.language === "ruby" && /^(?:to|not_to|to_not)$/.test(segments.at(-1)?.name ?? "");
  if (isRuby && segments.at(-1)!.from === null) behind = rubyMatcher(source, segments, behind);
  return segments.some(({ from }) => from !== null) || head === "is_expected" ? { segments, to: behind } : null;
}

/** The bracket of a call behind a name: `!` of a macro and types in angles may stand between. */
function openingAt(bare: string, behind: number): number | null {
  const match = /^(?:!|<[\w.,?<>[\]: ]{1,100}>)?\(/.exec(bare.slice(behind, behind + 110));
  return match === null ? null : behind + match[0].length - 1;
}

function linkAt(bare: string, behind: number): { name: string; behind: number } | null {
  const match = /^(\s*)(?:\?\.|\.|->|::|!!?\.)[ \t]{0,4}(\w+[?!]?)/.exec(bare.slice(behind, behind + BLANKS_MAX));
  return match === null ? null : { name: match[2]!, behind: behind + match[0].length };
}

/** `.to eq 5`, `.to have_attributes(a: 1)`: the matcher stands behind a blank. */
function rubyMatcher({ bare, brackets }: Source, segments: Segment[], behind: number): number {
  const match = /^[ \t]+(\w+[?!]?)([ \t]*)/.exec(bare.slice(behind, behind + BLANKS_MAX));
  if (match === null) return behind;
  const from = behind + match[0].length;
  const close = bare[from] === "(" && match[2] === "" ? brackets.get(from) : undefined;
  if (close !== undefined) {
    segments.push({ name: match[1]!, from: from + 1, to: close });
    return close + 1;
  }
  const rest = /^[^\n}]{0,300}/.exec(bare.slice(from, from + 301))![0];
  segments.push({ name: match[1]!, from, to: from + rest.length });
  return from + rest.length;
}
