/** YAML nodes -> plain values, in one pass that stays linear whatever the document holds. */

import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import { type DocumentPath, duplicateKey, quoted } from "./finding.ts";
import type { Position, SyntaxFinding } from "./source-document.ts";
import { DEPTH_MAX } from "./value-walk.ts";

/** The parser's own conversion searches the whole document for each alias, and compares every key with every other. */
export interface YamlValues {
  value: unknown;
  problems: SyntaxFinding[];
  /** The node that each alias stands for. */
  targets: Map<Alias, Node>;
}

interface Anchored {
  node: Node;
  value: unknown;
  /** False while the node's own content is being read: an alias to it from there would hold itself. */
  complete: boolean;
}

interface Reading {
  positionAt: (offset: number) => Position;
  problems: SyntaxFinding[];
  anchors: Map<string, Anchored>;
  targets: Map<Alias, Node>;
}

/** Reads all values of a document. Aliases share the value of their anchor, so nothing multiplies in memory. */
export function readYamlValues(document: Document.Parsed, positionAt: (offset: number) => Position): YamlValues {
  const reading: Reading = { positionAt, problems: [], anchors: new Map(), targets: new Map() };
  const value = readNode(reading, document.contents, []);
  return { value, problems: reading.problems, targets: reading.targets };
}

/** The key as it stands in the value. */
export function keyName(key: unknown): string {
  if (isScalar(key)) return String(key.value);
  return key === null ? "null" : String(key);
}

/** Where a node begins; undefined for what has no place, such as a value that was left out. */
export function offsetOf(node: unknown): number | undefined {
  return (node as Node | null | undefined)?.range?.[0];
}

function readNode(reading: Reading, node: unknown, path: DocumentPath): unknown {
  if (isAlias(node)) return readAlias(reading, node, path);
  if (isScalar(node)) return anchored(reading, node, node.value);
  if (!isSeq(node) && !isMap(node)) return null;
  if (path.length >= DEPTH_MAX) {
    problem(reading, node, path, `nested more than ${DEPTH_MAX} levels deep`);
    return null;
  }
  return isSeq(node) ? readList(reading, node, path) : readMap(reading, node, path);
}

function readList(reading: Reading, node: YAMLSeq, path: DocumentPath): unknown[] {
  const list: unknown[] = [];
  const anchor = open(reading, node, list);
  for (const [index, item] of node.items.entries()) list.push(readNode(reading, item, [...path, index]));
  if (anchor !== null) anchor.complete = true;
  return list;
}

function readMap(reading: Reading, node: YAMLMap, path: DocumentPath): Record<string, unknown> {
  const record: Record<string, unknown> = {};
  const anchor = open(reading, node, record);
  const offsets = new Map<string, number>();
  for (const pair of node.items) {
    const name = keyName(pair.key);
    const first = offsets.get(name);
    if (first === undefined) offsets.set(name, offsetOf(pair.key) ?? 0);
    else problem(reading, pair.key, [...path, name], duplicateKey(name, reading.positionAt(first).line));
    if (isScalar(pair.key)) anchored(reading, pair.key, pair.key.value);
    const value = readNode(reading, pair.value, [...path, name]);
    // Assigning to `__proto__` would not make a key of that name.
    Object.defineProperty(record, name, { value, enumerable: true, configurable: true, writable: true });
  }
  if (anchor !== null) anchor.complete = true;
  return record;
}

function readAlias(reading: Reading, alias: Alias, path: DocumentPath): unknown {
  const target = reading.anchors.get(alias.source);
  if (target?.complete !== true) {
    const why = target === undefined ? "names no anchor that stands before it" : "holds itself";
    problem(reading, alias, path, `the alias ${quoted(`*${alias.source}`)} ${why}`);
    return null;
  }
  reading.targets.set(alias, target.node);
  return target.value;
}

function anchored(reading: Reading, node: Node, value: unknown): unknown {
  const anchor = open(reading, node, value);
  if (anchor !== null) anchor.complete = true;
  return value;
}

function open(reading: Reading, node: Node, value: unknown): Anchored | null {
  const name = (node as { anchor?: string }).anchor;
  if (name === undefined) return null;
  const anchor: Anchored = { node, value, complete: false };
  reading.anchors.set(name, anchor);
  return anchor;
}

function problem(reading: Reading, node: unknown, path: DocumentPath, message: string): void {
  reading.problems.push({ path, message, ...reading.positionAt(offsetOf(node) ?? 0) });
}
