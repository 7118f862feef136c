import { type Finding, findingOf } from "./integrity-change.ts";
import { isProgram } from "./languages.ts";
import { type Mark, marksAdded } from "./marks.ts";
import type { ChangedLine, Survey } from "./survey.ts";

/** A whole file, crate or type that a checker passes over. */
const WHOLE =
  /@ts-nocheck|\beslint-disable(?!-)(?:\s|\*|$)|\boxlint-disable(?!-)|\bbiome-ignore-all|#\s?(?:mypy: ignore-errors|type: ignore$|flake8: noqa|ruff: noqa|pylint: (?:skip-file|disable-all)|pyright: (?:basic|false|ignore$))|istanbul ignore file|[cv]8 ignore (?:file|start)|codeCoverageIgnoreStart|swiftlint:disable (?:all|file)|phpcs:ignoreFile/;
const WHOLE_CODE =
  /#!\[allow\(|@file:Suppress|#pragma (?:warning disable|GCC diagnostic ignored)|\[assembly: ?SuppressMessage|@no_type_check|\[ExcludeFromCodeCoverage/;

const SINGLE =
  /\beslint-disable-(?:next-)?line|\boxlint-disable-|@ts-(?:ignore|expect-error)|\bbiome-ignore\b|#\s?(?:type:\s?ignore|noqa|pylint:\s?disable|pyright:\s?ignore|pragma: no cover|nosec|nosem|noinspection)|(?:istanbul|[cv]8) ignore|\/\/\s?nolint|rubocop:disable|:nocov:|@phpstan-ignore|@psalm-suppress|codeCoverageIgnore|phpcs:(?:ignore|disable)|credo:disable|swiftlint:disable|\bNOLINT|shellcheck disable|ktlint-disable|stylelint-disable|LCOV_EXCL|ReSharper disable|\bnoinspection\b|NOSONAR|ignore_for_file|\/\/ ignore:|sobelow_skip|detekt:|prettier-ignore_none/;
const SINGLE_CODE =
  /#\[(?:allow|expect)\(|@Suppress(?:Warnings)?\b|\[SuppressMessage|@dialyzer|@SuppressLint|@Suppress\(|#\[(?:cfg_attr\([^\n]{0,60}coverage|coverage\(off|no_coverage|CoverageIgnore)/;

/** Matters of taste and form. */
const FORM = /E501|F401|max-len|line-too-long|LineLength|dead_code|prettier|line_length|too_many_arguments|unused/;

/** So many single ones, and no fewer, are found even where each is explained. */
const MANY = 3;

/** What tells checkers in the code to look away, anew over the whole change. */
export function judgeSuppressions(survey: Survey): Finding[] {
  const on = ({ role, language }: { role: string; language: Parameters<typeof isProgram>[0] }): boolean =>
    (role === "product" || role === "test" || role === "script" || role === "config") && isProgram(language);
  const whole = marksAdded(survey, {
    on,
    keys: ({ comment, code }) => (WHOLE.test(comment) || WHOLE_CODE.test(code) ? ["whole"] : []),
  });
  const single = marksAdded(survey, { on, keys: (line) => (isSingle(line) ? ["single"] : []) });
  const found = single.length >= MANY ? single : single.filter(({ line }) => !isExplained(line));
  return [...whole, ...found].map(({ line: { source, line, code, comment } }: Mark) =>
    findingOf({ rule: "suppression_added", path: source.path, line, evidence: `${code.trim()} ${comment.trim()}` }),
  );
}

function isSingle({ comment, code }: ChangedLine): boolean {
  if (WHOLE.test(comment) || WHOLE_CODE.test(code)) return false;
  return SINGLE.test(comment) || SINGLE_CODE.test(code);
}

/** It names the rule and says why in words, or is about form. */
function isExplained({ comment, code }: ChangedLine): boolean {
  const text = `${comment} ${code}`;
  return FORM.test(text) || /(?:--|—|because|since|:\s)\s?(?:\w+[\s,.]+){3,}/.test(comment.replace(SINGLE, ""));
}
