/** A text of either format -> a document, and what is wrong with it -> problems for people. */

import type { PlanProblem } from "../core/plan/definition.ts";
import { type Finding, formatPath } from "./finding.ts";
import { parseJson } from "./json-document.ts";
import type { ParsedSource, SourceDocument, SyntaxFinding } from "./source-document.ts";
import type { SourceText } from "./source-text.ts";

/** Problems of one file that are reported; the rest are counted. More would bury the reader. */
export const PROBLEMS_MAX = 1000;

/** Parses a text as its format says. */
export async function parseSource(source: SourceText): Promise<ParsedSource> {
  if (source.format === "json") return parseJson(source.text);
  // The YAML parser is loaded only where there is YAML: a large JSON plan does not pay for it.
  const { parseYaml } = await import("./yaml-document.ts");
  return parseYaml(source.text);
}

/** Findings with line and column, in the order of the file, at most `PROBLEMS_MAX` of them. */
export function locatedProblems(file: string, document: SourceDocument, findings: readonly Finding[]): PlanProblem[] {
  const kept = findings.slice(0, PROBLEMS_MAX);
  const positions = document.locate(kept);
  return boundedProblems(
    file,
    kept.map((finding, index) => ({ ...finding, ...positions[index]! })),
    findings.length - kept.length,
  );
}

/** What a parser found, as problems of a file. */
export function syntaxProblems(file: string, found: readonly SyntaxFinding[]): PlanProblem[] {
  return boundedProblems(file, found.slice(0, PROBLEMS_MAX), Math.max(0, found.length - PROBLEMS_MAX));
}

function boundedProblems(file: string, found: readonly SyntaxFinding[], left: number): PlanProblem[] {
  const problems: PlanProblem[] = found
    .toSorted((a, b) => a.line - b.line || a.col - b.col)
    .map(({ line, col, path, message }) => ({ file, line, col, path: formatPath(path), message }));
  if (left > 0) problems.push({ file, path: "", message: `and ${left} more problems that are not listed` });
  return problems;
}
