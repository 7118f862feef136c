import { type Finding, findingOf } from "./integrity-change.ts";
import { type ChangedLine, linesOnlyIn, type Source, type Survey } from "./survey.ts";

interface Limit {
  key: string;
  value: number;
  line: ChangedLine;
}

/** Keys of which more is stricter; the names of coverage and of scores. */
const FLOORS =
  /^(?:branches|functions|lines|statements|failunder|covfailunder|checkcoverage|linecoverage|branchcoverage|\w*minimum\w*|min\w*(?:coverage|ratio|score|percent|msi)\w*|minmsi|mincoveredmsi|coverage(?:min|threshold|floor|target|required|minimum|limit)?\w*|\w*coverage|target|break|thresholds?|break(?:at)?|high|low|minscore|score|numruns|maxexamples|iterations|quickchecktests|cov\w*|level|branch|line|method|instruction|project|patch|perfile|global|fuzztime|mutation\w*)$/;

/** Keys of which less is stricter. */
const CEILINGS =
  /^(?:maxwarnings|max\w*(?:warnings|complexity|errors|violations|issues|lines|depth|params|statements|size|age|bytes|kb|duration|ms|nestedcallbacks|branches|returns|arguments|args|locals)\w*|complexity|cognitivecomplexity|cyclomaticcomplexity|\w*complexity|budget\w*|\w*budget\w*|limit|\w*sizelimit|maximumwarning|maximumerror|maximum|errorthreshold|warningthreshold|maxfailures|allowedfailures|funlen|gocyclo|cyclop|gocognit|maxnumericvalue|threshold|p95|p99|latency\w*)$/;

/** Keys that mean a limit only where the file is about one. */
const AMBIGUOUS =
  /^(?:target|break|threshold|thresholds|high|low|level|limit|maximum|score|minimum|branch|line|method|instruction|project|patch|global|lines|functions|iterations|branches|statements|method|breakat|cov\w*|coverage)$/;
const ABOUT_LIMITS =
  /cover|codecov|stryker|mutat|size-?limit|bundle|lighthouse|jacoco|budget|threshold|nyc|c8|phpstan|psalm|detekt|perf|bench|msi|complexity|lint/i;

const ENTRY =
  /(?:^|[\s{,"'<(;-])--?([A-Za-z][\w-]{1,40})[= ]["']?(-?\d[\d_.]{0,12})|["']?([A-Za-z@][\w./-]{0,50})["']?\s{0,4}(?:[:=>,]|\s(?=\d)|:=|\?=)\s{0,4}(?:\[\s?)?(?:["']?(?:error|warn|deny)["']?,\s?)?(?:\{\s?["']?max["']?:\s?)?["']?([<>]=?\s?)?(-?\d[\d_.]{0,12})\s?(%|[kKmM]i?[bB])?/g;

/** Limits that were lowered, or that are nowhere any more. What moved with its value cancels out. */
export function judgeThresholds(survey: Survey): Finding[] {
  const before = survey.pairs.flatMap((pair) => limitsOf(pair.before, pair.after));
  const after = survey.pairs.flatMap((pair) => limitsOf(pair.after, pair.before));
  const keys = new Set(before.map(({ key }) => key));
  const readable = new Set(
    survey.pairs.filter(({ file, after }) => after !== null || file.kind === "deleted").map(({ before }) => before),
  );
  return [...keys].flatMap((key) =>
    compareLimits(
      before.filter((limit) => limit.key === key && readable.has(limit.line.source)),
      after.filter((limit) => limit.key === key),
      survey,
    ),
  );
}

function compareLimits(before: Limit[], after: Limit[], survey: Survey): Finding[] {
  const left = before.filter((limit) => {
    const same = after.findIndex(({ value }) => value === limit.value);
    if (same >= 0) after.splice(same, 1);
    return same < 0;
  });
  return left.flatMap((limit): Finding[] => {
    const next = after.shift();
    const path = survey.pairs.find(({ before }) => before === limit.line.source)!.file.path;
    const isFloor = isFloorKey(limit.key, limit.line.source.path);
    if (next === undefined)
      return [
        findingOf({ rule: "threshold_lowered", path, line: limit.line.line, evidence: `removed: ${limit.line.code}` }),
      ];
    const isLower = isFloor ? next.value < limit.value : next.value > limit.value;
    if (!isLower) return [];
    return [
      findingOf({
        rule: "threshold_lowered",
        path: next.line.source.path,
        line: next.line.line,
        evidence: `${limit.line.code.trim()} -> ${next.line.code.trim()}`,
      }),
    ];
  });
}

function limitsOf(source: Source | null, other: Source | null): Limit[] {
  if (source === null || !["config", "script", "test", "product"].includes(source.role)) return [];
  const isSetting = source.role === "config" || source.role === "script" || !isPlainProgram(source);
  const isAbout = ABOUT_LIMITS.test(source.path) || (isSetting && ABOUT_LIMITS.test(source.code));
  return linesOnlyIn(source, other)
    .slice(0, 5000)
    .flatMap((line) => limitsIn(line, { isSetting, isAbout }));
}

function limitsIn(line: ChangedLine, { isSetting, isAbout }: { isSetting: boolean; isAbout: boolean }): Limit[] {
  const limits: Limit[] = [];
  for (const match of line.code.slice(0, 500).matchAll(ENTRY)) {
    const raw = (match[1] ?? match[3])!;
    const key = raw
      .split(/[./]/)
      .at(-1)!
      .replace(/[^A-Za-z]/g, "")
      .toLowerCase()
      .replace(/^(?:cov)(?=failunder)/, "");
    const value = Number((match[2] ?? match[5])!.replaceAll("_", ""));
    if (Number.isNaN(value) || !(FLOORS.test(key) || CEILINGS.test(key))) continue;
    const isPinned =
      /^(?:numruns|maxexamples|quickchecktests)$/.test(key) ||
      /cover|failunder|max_?warn|threshold|budget|minimum|size_?limit/i.test(raw);
    if (AMBIGUOUS.test(key) ? !isAbout || !isSetting : !isSetting && !isPinned) continue;
    const unit = /^k/i.test(match[6] ?? "") ? 1000 : /^m/i.test(match[6] ?? "") ? 1_000_000 : 1;
    limits.push({ key, value: value * unit, line });
  }
  return limits;
}

function isFloorKey(key: string, path: string): boolean {
  if (key === "threshold") return !/codecov/i.test(path);
  if (key === "branches" || key === "statements") return true;
  return !CEILINGS.test(key) || (FLOORS.test(key) && !/^max|complexity|budget|limit/.test(key));
}

function isPlainProgram({ language }: Source): boolean {
  return !["yaml", "ini", "json", "xml", "make", "text", "shell"].includes(language);
}
