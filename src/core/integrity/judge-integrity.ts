import { judgeSoftened, judgeSteps } from "./check-steps.ts";
import { judgeDisarmed } from "./disarmed.ts";
import { judgeGoldens } from "./goldens.ts";
import { type Finding, findingOf, type IntegrityChange } from "./integrity-change.ts";
import { judgeTests } from "./judge-tests.ts";
import { judgeMockedUnits } from "./mocked-unit.ts";
import { judgePlanted } from "./planted.ts";
import { productEvidence } from "./product-evidence.ts";
import { judgeProduct } from "./product-tricks.ts";
import { judgeNarrowed, judgeStrictness } from "./settings.ts";
import { judgeSkips } from "./skips.ts";
import { judgeSuppressions } from "./suppressions.ts";
import { surveyOf } from "./survey.ts";
import { judgeTables } from "./tables.ts";
import { judgeThresholds } from "./thresholds.ts";

/** A change with more to say is judged by its first findings; no person reads on. */
const FINDINGS_MAX = 200;

/**
 * Finds in a change what weakens the checks: tests, assertions, limits, the scripts that run them, and what is planted
 * around them. Sorted by path, line and rule; the same change gives the same findings. Empty: nothing was found.
 */
export function judgeIntegrity(change: IntegrityChange): Finding[] {
  const survey = surveyOf(change);
  const evidence = productEvidence(survey);
  const findings = [
    ...judgeTests(survey, evidence),
    ...judgeTables(survey, evidence),
    ...judgeSkips(survey),
    ...judgeDisarmed(survey),
    ...judgeMockedUnits(survey),
    ...judgeGoldens(survey, evidence),
    ...judgeThresholds(survey),
    ...judgeSteps(survey),
    ...judgeSoftened(survey),
    ...judgeNarrowed(survey),
    ...judgeStrictness(survey),
    ...judgeSuppressions(survey),
    ...judgePlanted(survey, change.protect),
    ...judgeProduct(survey),
    ...judgeUnread(change),
  ];
  return sortedOnce(findings).slice(0, FINDINGS_MAX);
}

function judgeUnread({ unread = [] }: IntegrityChange): Finding[] {
  return unread.map((path) => findingOf({ rule: "left_unread", path, line: null, evidence: "" }));
}

function sortedOnce(findings: readonly Finding[]): Finding[] {
  const byKey = new Map(
    findings.map((finding) => [`${finding.rule} ${finding.path} ${finding.line} ${finding.evidence}`, finding]),
  );
  return [...byKey.values()].sort(
    (a, b) =>
      compare(a.path, b.path) ||
      (a.line ?? 0) - (b.line ?? 0) ||
      compare(a.rule, b.rule) ||
      compare(a.evidence, b.evidence),
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
