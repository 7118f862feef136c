/** Strict JSON. `JSON.parse` does the work; the slower parser that knows places is asked only when something is wrong. */

import { type JSONPath, printParseErrorCode, visit } from "jsonc-parser";
import { type DocumentPath, duplicateKey, type Finding } from "./finding.ts";
import { scanJson } from "./json-scan.ts";
import { lineStarts, positionAt } from "./line-positions.ts";
import {
  type ParsedSource,
  type Position,
  refuse,
  refuseFile,
  type SourceDocument,
  type SyntaxFinding,
} from "./source-document.ts";
import { DEPTH_MAX, inspectValue } from "./value-walk.ts";

const STRICT = { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false };

const SYNTAX_MESSAGES: Record<string, string> = {
  InvalidSymbol: "this is not JSON: text must stand in double quotes",
  InvalidNumberFormat: "this is not a number of JSON",
  PropertyNameExpected: "a key in double quotes is expected here (JSON allows no trailing comma)",
  ValueExpected: "a value is expected here (JSON allows no trailing comma)",
  ColonExpected: "a colon is expected here",
  CommaExpected: "a comma is expected here",
  CloseBraceExpected: "a closing } is expected here",
  CloseBracketExpected: "a closing ] is expected here",
  EndOfFileExpected: "nothing more is expected here: the document has ended",
  InvalidCommentToken: "comments are not allowed in JSON",
  UnexpectedEndOfComment: "comments are not allowed in JSON",
  UnexpectedEndOfString: "this string is not closed",
  UnexpectedEndOfNumber: "this number is not complete",
  InvalidUnicode: "\\u must be followed by four hexadecimal digits",
  InvalidEscapeCharacter: "this escape does not exist in JSON",
  InvalidCharacter: "a control character in a string must be written as an escape",
};

/** Parses strict JSON: no comments, no trailing commas, no key twice. */
export function parseJson(source: string): ParsedSource {
  const scanned = scanJson(source);
  if (scanned.empty) return refuseFile("the file is empty");
  if (scanned.tooDeepAt !== null) {
    const message = `nested more than ${DEPTH_MAX} levels deep`;
    return { ok: false, problems: [{ path: [], message, ...positionAt(lineStarts(source), scanned.tooDeepAt) }] };
  }
  let value: unknown;
  try {
    value = JSON.parse(source);
  } catch (error) {
    return { ok: false, problems: [syntaxError(source, error)] };
  }
  const document: SourceDocument = { value, locate: (findings) => locate(source, findings) };
  const inspection = inspectValue(value);
  if (inspection.full) return refuseFile("the file holds too many values");
  if (inspection.findings.length > 0) return refuse(document, inspection.findings);
  // A key that stands twice is written twice but parsed once: comparing two counts costs a tenth of looking for it.
  if (scanned.keys !== inspection.keys) return { ok: false, problems: duplicateKeys(source) };
  return { ok: true, document };
}

/** The first thing that is wrong; what follows it is mostly its consequence. */
function syntaxError(source: string, error: unknown): SyntaxFinding {
  let first: SyntaxFinding | null = null;
  visit(
    source,
    {
      onError: (code, offset) => {
        if (first !== null) return;
        const message = SYNTAX_MESSAGES[printParseErrorCode(code)] ?? "this is not JSON";
        first = { path: [], message, ...positionAt(lineStarts(source), offset) };
      },
    },
    STRICT,
  );
  return first ?? { path: [], line: 1, col: 1, message: `this is not JSON: ${String(error)}` };
}

function duplicateKeys(source: string): SyntaxFinding[] {
  const starts = lineStarts(source);
  const found: SyntaxFinding[] = [];
  const open: Map<string, number>[] = [];
  visit(source, {
    onObjectBegin: () => void open.push(new Map()),
    onObjectEnd: () => void open.pop(),
    onObjectProperty: (key, offset, _length, _line, _character, path) => {
      const keys = open.at(-1)!;
      const position = positionAt(starts, offset);
      const firstLine = keys.get(key);
      if (firstLine === undefined) keys.set(key, position.line);
      else found.push({ path: [...path(), key], message: duplicateKey(key, firstLine), ...position });
    },
  });
  return found;
}

/** One pass over the text for all findings together. */
function locate(source: string, findings: readonly Finding[]): Position[] {
  if (findings.length === 0) return [];
  const wanted = new Set<string>();
  for (const { path } of findings) for (let end = 0; end <= path.length; end++) wanted.add(nameOf(path.slice(0, end)));
  const keys = new Map<string, number>();
  const values = new Map<string, number>();
  const keep = (into: Map<string, number>, path: JSONPath, offset: number) => {
    const name = nameOf(path);
    if (wanted.has(name)) into.set(name, offset);
  };
  visit(source, {
    onObjectBegin: (offset, _length, _line, _character, path) => keep(values, path(), offset),
    onArrayBegin: (offset, _length, _line, _character, path) => keep(values, path(), offset),
    onLiteralValue: (_value, offset, _length, _line, _character, path) => keep(values, path(), offset),
    onObjectProperty: (key, offset, _length, _line, _character, path) => keep(keys, [...path(), key], offset),
  });
  const starts = lineStarts(source);
  return findings.map((finding) => positionAt(starts, offsetOf(finding, keys, values)));
}

function offsetOf(finding: Finding, keys: Map<string, number>, values: Map<string, number>): number {
  const key = finding.atKey === true ? keys.get(nameOf(finding.path)) : undefined;
  if (key !== undefined) return key;
  for (let end = finding.path.length; end >= 0; end--) {
    const offset = values.get(nameOf(finding.path.slice(0, end)));
    if (offset !== undefined) return offset;
  }
  return 0;
}

const nameOf = (path: DocumentPath): string => JSON.stringify(path);
