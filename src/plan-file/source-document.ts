/** A parsed document that still knows where each of its values stands. */

import type { Finding } from "./finding.ts";

/** Lines and columns (UTF-16 units) count from 1. */
export interface Position {
  line: number;
  col: number;
}

/** A finding at a known place: what a parser reports. */
export interface SyntaxFinding extends Finding, Position {}

export interface SourceDocument {
  value: unknown;
  /** The place of each finding; of what is missing, the place of the nearest thing that holds it. */
  locate: (findings: readonly Finding[]) => Position[];
}

export type ParsedSource = { ok: true; document: SourceDocument } | { ok: false; problems: SyntaxFinding[] };

/** Refuses a document for findings about its values. */
export function refuse(document: SourceDocument, findings: readonly Finding[]): ParsedSource {
  const positions = document.locate(findings);
  return { ok: false, problems: findings.map((finding, index) => ({ ...finding, ...positions[index]! })) };
}

/** Refuses a whole file. */
export function refuseFile(message: string): ParsedSource {
  return { ok: false, problems: [{ path: [], line: 1, col: 1, message }] };
}
