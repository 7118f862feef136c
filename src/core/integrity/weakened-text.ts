import type { Finding } from "./integrity-change.ts";

/** Findings that are named: they are read by a person, and by the next attempt in its brief. */
const NAMED_MAX = 12;

/** What was found, for the inbox and for the next attempt: the first line alone says the gist. */
export function weakenedText(findings: readonly Finding[]): string {
  const named = findings.slice(0, NAMED_MAX);
  const more = findings.length - named.length;
  const [first] = named;
  const others = findings.length === 1 ? "" : ` and ${findings.length - 1} more`;
  return [
    `the change weakens what checks it: ${first === undefined ? "" : gist(first)}${others}`,
    ...named.map((finding) => `- ${gist(finding)}: ${finding.why}${said(finding)}`),
    ...(more > 0 ? [`- ${more} more`] : []),
    "Put back what was weakened. Where a test or a limit is wrong itself, say so in the summary.",
  ].join("\n");
}

function gist({ path, line, rule }: Finding): string {
  return `${printable(path)}${line === null ? "" : `:${line}`} (${rule})`;
}

function said({ evidence }: Finding): string {
  return evidence === "" ? "" : ` \`${printable(evidence)}\``;
}

/** The words are the agent's own. */
function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, " ");
}
