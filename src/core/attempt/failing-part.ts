/** The part of a check's output that tells what failed: of a long one the end is often only a summary. */

/** What programs that test or build begin a failure with, and print for nothing else. */
const BEGINS_FAILURE =
  /^\s{0,8}(?:\d+\) |\d+:\d+\s+error\b|(?:FAIL(?:ED|URE)?|not ok|--- FAIL|panic)\b|[✗✘×✖●] |E {3}|_{4,} .+ _{4,}$|error\[\w+\]:|thread '.*' panicked|[\w./\\-]+[:(]\d+(?:[:,]\d+)?\)?:? (?:fatal )?error\b|Assertion.*failed)/;

/** What tests that pass print too, of errors that they were to see: it counts where there is nothing else. */
const TELLS_ERROR = /^\s{0,8}(?:(?:ERROR|Traceback|fatal)\b|error:|[\w.$]*(?:Error|Exception|Failure)(?: \[\w+\])?:)/;

/** Go tells what a test said before it tells that the test failed. */
const ENDS_FAILURE = /^\s{0,8}--- FAIL\b/;
const BEFORE_END = 10;

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal sequences begin with it.
const COLOUR = /\u001b\[[0-9;?]*[A-Za-z]/g;

/** Lines shown of one failure: what stands before it names it, what follows explains it. */
const BEFORE = 2;
const AFTER = 14;

/** Failures looked at: the first ones are most often what the others follow from. */
const FAILURES_MAX = 200;

/** What is left for the end, which sums up. */
const END_SHARE = 4;

const LINE_MAX = 500;

/** At most `max` characters of the output: whole where it is short enough, else its first failures and its end; what is left out is shown by `…`. */
export function failingPart(output: string, max: number): string {
  const plain = output.replace(COLOUR, "");
  const text = plain.split("\n").map(lastWritten).join("\n").trimEnd();
  if (text.length <= max) return text;
  const lines = text.split("\n").map((line) => (line.length > LINE_MAX ? `${line.slice(0, LINE_MAX)}…` : line));
  const end = endOf(lines, Math.floor(max / END_SHARE));
  const failures = failuresIn(lines.slice(0, end.from), max - end.text.length - 4);
  return `${failures}${failures === "" ? "" : "\n"}…\n${end.text}`.slice(-max);
}

/** A progress bar writes over its own line. */
function lastWritten(line: string): string {
  const shown = line.endsWith("\r") ? line.slice(0, -1) : line;
  return shown.slice(shown.lastIndexOf("\r") + 1);
}

function endOf(lines: readonly string[], max: number): { from: number; text: string } {
  let from = lines.length;
  let length = 0;
  while (from > 0 && length + lines[from - 1]!.length + 1 <= max) {
    from -= 1;
    length += lines[from]!.length + 1;
  }
  return { from, text: lines.slice(from).join("\n") };
}

function failuresIn(lines: readonly string[], max: number): string {
  const shown: string[] = [];
  let length = 0;
  let next = 0;
  let found = 0;
  const begins = lines.some((line) => BEGINS_FAILURE.test(line)) ? BEGINS_FAILURE : TELLS_ERROR;
  for (let at = 0; at < lines.length && found < FAILURES_MAX; at++) {
    if (!begins.test(lines[at]!)) continue;
    found += 1;
    const before = ENDS_FAILURE.test(lines[at]!) ? BEFORE_END : BEFORE;
    for (let line = Math.max(next, at - before); line <= Math.min(at + AFTER, lines.length - 1); line++) {
      const gap = line > next ? ["…"] : [];
      const more = [...gap, lines[line]!];
      length += more.reduce((sum, each) => sum + each.length + 1, 0);
      if (length > max) return shown.join("\n");
      shown.push(...more);
      next = line + 1;
    }
  }
  return shown.join("\n");
}
