/** What an attempt changed, as the judgement of the checks' integrity takes it, and what it gives back. */

export interface ChangedFile {
  path: string;
  /** Of a renamed file, else null. */
  old_path: string | null;
  kind: "added" | "modified" | "deleted" | "renamed" | "mode";
  /** Null: absent, binary or too big. */
  before: string | null;
  after: string | null;
  /** As git writes modes (`100755`); null where the file is absent or the mode is not known. */
  mode_before: string | null;
  mode_after: string | null;
}

export interface IntegrityChange {
  files: readonly ChangedFile[];
  /** The shell commands of `verify` and of the guards. */
  checks: readonly string[];
  /** Globs of files that the attempt must not change. */
  protect: readonly string[];
  /** Changed files of tests and checks that nobody read, since they are too many or too large; absent: none. */
  unread?: readonly string[];
}

/** Each rule with the sentence that tells a person why a finding of it matters. */
export const RULES = {
  test_file_removed: "A file of tests is gone or is no longer collected, and its tests are nowhere else in the change.",
  test_removed: "A test is gone, and neither its assertions nor the code that it tested moved or went with it.",
  test_case_removed: "A case of a table of tests is gone, and its values are nowhere else in the tests.",
  test_skipped: "A test no longer runs, though its report stays green.",
  test_focused: "Only the focused tests run; the others of the file are passed over in silence.",
  assertion_removed: "A test lost an assertion that no other place of the change took over.",
  assertion_weakened: "An assertion was replaced by one that more results satisfy.",
  assertion_disarmed: "An assertion can no longer fail, or is never reached.",
  expectation_changed: "The expected value was changed, and nothing in the product shows the new one.",
  tolerance_widened: "A limit or a tolerance in a test lets more through than before.",
  golden_rewritten:
    "A recorded expectation was rewritten or deleted, and nothing in the product or the tests shows why.",
  unit_mocked: "The very thing under test is replaced by a stand-in.",
  threshold_lowered: "A limit that the checks hold the code to was lowered or removed.",
  check_step_removed: "A command that checked the code is no longer run.",
  check_softened: "A check may fail and still be taken for green.",
  check_narrowed: "The checks look at less than before.",
  strictness_lowered: "A rule of a checker was turned off or turned down.",
  suppression_added: "A checker is told in the code to look away.",
  hook_planted: "A hook that runs by itself was added or changed.",
  startup_planted: "Code that runs before or around the tests can change what they report.",
  artefact_committed: "A cache or a built file was committed; checks may use it instead of what the sources say.",
  environment_probed: "Product code finds out whether a test is running.",
  answer_hard_coded: "Product code answers with a written-down result instead of working it out.",
  exit_planted: "The program or the test run ends early and reports success.",
  equality_patched: "Equality was redefined so that comparisons succeed.",
  protected_changed: "The file is protected.",
  left_unread: "Too large, or one of too many: what was changed in it was not looked at.",
} as const;

export type Rule = keyof typeof RULES;

export interface Finding {
  rule: Rule;
  path: string;
  /** From 1, in the text after the change, or before it where something is gone; null: the file as a whole. */
  line: number | null;
  /** One line of the text in question, shortened. */
  evidence: string;
  why: string;
}

/** Longer evidence says no more to a person. */
const EVIDENCE_LENGTH_MAX = 160;

/** What `findingOf` takes. */
export interface Found {
  rule: Rule;
  path: string;
  line: number | null;
  evidence: string;
}

export function findingOf({ rule, path, line, evidence }: Found): Finding {
  const short = evidence
    .slice(0, 4 * EVIDENCE_LENGTH_MAX)
    .replace(/\s+/g, " ")
    .trim();
  return {
    rule,
    path,
    line,
    evidence: short.length > EVIDENCE_LENGTH_MAX ? `${short.slice(0, EVIDENCE_LENGTH_MAX - 1)}…` : short,
    why: RULES[rule],
  };
}
