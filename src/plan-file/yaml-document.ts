/** YAML 1.2 (core schema, no merge keys), with the place of every value. */

import { type Alias, type Document, isAlias, isMap, isSeq, LineCounter, type Node, parseDocument } from "yaml";
import type { Finding } from "./finding.ts";
import { type ParsedSource, type Position, refuse, refuseFile, type SyntaxFinding } from "./source-document.ts";
import { DEPTH_MAX, inspectValue } from "./value-walk.ts";
import { keyName, offsetOf, readYamlValues } from "./yaml-values.ts";

/** Values once all aliases are followed: 20 MB of YAML cannot hold as many without aliases that multiply. */
const VALUES_MAX = 12_000_000;

const MESSAGES: Record<string, string> = {
  TAB_AS_INDENT: "a tab stands in the indentation: YAML wants spaces",
  MULTIPLE_DOCS: "a second YAML document begins here: write one document per file",
  RESOURCE_EXHAUSTION: `nested more than ${DEPTH_MAX} levels deep`,
};

type PositionAt = (offset: number) => Position;

/** Parses one YAML document. Of broken syntax the first error is told: what follows is mostly its consequence. */
export function parseYaml(source: string): ParsedSource {
  const lineCounter = new LineCounter();
  const positionAt: PositionAt = (offset) => lineCounter.linePos(offset);
  const document = parseDocument(source, {
    version: "1.2",
    schema: "core",
    merge: false,
    // The parser's own search for duplicate keys compares every key with every other; ours is linear.
    uniqueKeys: false,
    prettyErrors: false,
    // A quieter level would also keep silent about a second document.
    logLevel: "error",
    lineCounter,
  });
  const error = firstError(document, positionAt);
  if (error !== null) return { ok: false, problems: [error] };
  const { value, problems, targets } = readYamlValues(document, positionAt);
  if (problems.length > 0) return { ok: false, problems };
  if (value === null) return refuseFile("the file is empty");
  const { full, findings } = inspectValue(value, VALUES_MAX);
  if (full) return refuseFile("the aliases of this file expand to too many values");
  const locate = (found: readonly Finding[]) =>
    found.map((finding) => positionAt(placeOf(document.contents, targets, finding)));
  return findings.length > 0 ? refuse({ value, locate }, findings) : { ok: true, document: { value, locate } };
}

function firstError(document: Document.Parsed, positionAt: PositionAt): SyntaxFinding | null {
  const found = [...document.errors, ...document.warnings].toSorted((a, b) => a.pos[0] - b.pos[0]);
  const error = found.find(({ code }) => code === "TAB_AS_INDENT") ?? found[0];
  if (error !== undefined) {
    const message = MESSAGES[error.code] ?? `this is not YAML: ${error.message.split("\n", 1)[0]}`;
    return { path: [], message, ...positionAt(error.pos[0]) };
  }
  if (document.directives.yaml.version === "1.2") return null;
  return { path: [], line: 1, col: 1, message: "YAML 1.2 is read here, not 1.1: remove the %YAML line" };
}

/** The offset of a finding's value (or key); where a step is missing, that of the last one which is there. */
function placeOf(root: unknown, targets: ReadonlyMap<Alias, Node>, { path, atKey }: Finding): number {
  let node = root;
  let offset = offsetOf(root) ?? 0;
  for (const [depth, step] of path.entries()) {
    if (isAlias(node)) node = targets.get(node);
    let next: unknown;
    if (isSeq(node)) next = node.items[Number(step)];
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => keyName(key) === step);
      if (atKey === true && depth === path.length - 1) return offsetOf(pair?.key) ?? offset;
      next = pair?.value;
    }
    const found = offsetOf(next);
    if (found === undefined) break;
    node = next;
    offset = found;
  }
  return offset;
}
