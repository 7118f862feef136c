/** The `command` adapter: what an agent is given, whatever a title holds. */

import { readdirSync, statSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { agentFile, makeLab, readText, runLab, taskRow } from "../../fixtures/lab.ts";

const NODE = process.execPath;
/** The shell's own, which no placeholder is. */
const HOME = `$${"{HOME}"}`;
const PLACEHOLDERS = ["task_id", "slug", "title", "verify", "files", "skill", "workspace", "brief"];

describe("what an agent is given", () => {
  test("OMP-13: every placeholder, the prompt on standard input and in the brief, and nothing of the rest of the plan", async () => {
    const lab = await makeLab({
      kind: "repository",
      argv: [
        NODE,
        agentFile("tells-what-it-got"),
        ...PLACEHOLDERS.map((name) => `${name}={${name}}`),
        "{{title}}",
        HOME,
      ],
      defaults: { timeout: "5m" },
      tasks: [
        {
          id: "F/1 ö",
          title: "Cart totals",
          prompt: "Make the totals right.\n$(touch x)",
          verify: ["test -f got.json", { run: "test -d .", timeout: "9s" }],
          files_owned: ["got.json", "src/**"],
          skill: "writing",
          labels: ["cart"],
        },
        { id: "OTHER", title: "Not your business", verify: "test -d ." },
      ],
    });
    expect((await runLab(lab, { tasksMax: 1 })).outcome).toBe("stopped");
    const got = JSON.parse(readText(lab.root, "got.json"));
    const { slug } = await taskRow(lab, "F/1 ö");
    const values = {
      task_id: "F/1 ö",
      slug,
      title: "Cart totals",
      verify: "test -f got.json && test -d .",
      files: "got.json src/**",
      skill: "writing",
      workspace: lab.root,
      brief: got.env.LOCKSTEP_BRIEF,
    };
    expect(got.argv).toEqual([...Object.entries(values).map(([name, value]) => `${name}=${value}`), "{title}", HOME]);
    for (const [name, value] of Object.entries(values)) expect(got.env[`LOCKSTEP_${name.toUpperCase()}`]).toBe(value);
    expect(got.stdin).toBe("Make the totals right.\n$(touch x)\n");
    expect(got.brief).toEqual({
      protocol: 1,
      attempt: "F/1 ö#1",
      report: { verdict: false, handoff: false },
      task: {
        id: "F/1 ö",
        slug,
        title: "Cart totals",
        prompt: "Make the totals right.\n$(touch x)",
        phase: "build",
        verify: ["test -f got.json", "test -d ."],
        files_owned: ["got.json", "src/**"],
        skill: "writing",
        labels: ["cart"],
      },
      workspace: lab.root,
      prompt: got.stdin,
      last_failure: null,
      timeout_ms: 300_000,
    });
    expect(JSON.stringify(got)).not.toContain("Not your business");
    expect(statSync(values.brief).mode & 0o077).toBe(0);
  });

  test("OMW OMP: secrets of the engine's own environment never reach an agent or a check", async () => {
    process.env["SEEN_API_KEY"] = "hush";
    process.env["SEEN_PLAIN"] = "said";
    const lab = await makeLab({
      kind: "directory",
      argv: [NODE, agentFile("tells-what-it-got")],
      tasks: [{ id: "A", verify: 'test "$SEEN_PLAIN" = said -a -z "$SEEN_API_KEY"' }],
    });
    delete process.env["SEEN_API_KEY"];
    delete process.env["SEEN_PLAIN"];
    expect((await runLab(lab)).outcome).toBe("done");
    // A check gets all that is no secret, an agent only what it needs.
    expect(JSON.parse(readText(lab.root, "got.json")).env).not.toHaveProperty("SEEN_PLAIN");
    expect(readText(lab.root, "got.json")).not.toContain("hush");
  });
});

const TITLES = [
  "$(touch x)",
  "'; touch x; '",
  '"; touch x; "',
  "`touch x`",
  "a\ntouch x\nb",
  "a; touch x #",
  "$'\\x27; touch x; \\x27'",
  "\\'; touch x; \\'",
  `$${"{x:=$(touch x)}"}`,
  "a & touch x & b | touch x || touch x",
  "-n -e --help",
  "*",
];

const FORMS: Record<string, string[]> = {
  "an argument": [
    NODE,
    "-e",
    "require('fs').appendFileSync(process.env.ASIDE + '/said', process.argv[1] + '\\0')",
    "--",
    "{title}",
  ],
  "a script, bare": ["bash", "-c", "printf '%s\\0' {title} >> \"$ASIDE/said\""],
  "a script, in single quotes": ["bash", "-c", "printf '%s\\0' '{title}' >> \"$ASIDE/said\""],
  "a script, in double quotes": ["bash", "-c", 'printf "%s\\0" "{title}" >> "$ASIDE/said"'],
  "a script of env and sh": ["env", "FOO=1", "sh", "-ec", 'printf "%s\\0" {title} >> "$ASIDE/said"'],
  "a script behind more options": [
    "bash",
    "-c",
    "-u",
    "-o",
    "pipefail",
    "--",
    'printf "%s\\0" {title} >> "$ASIDE/said"',
  ],
  "a script of joined options": ["bash", "-cu", 'printf "%s\\0" {title} >> "$ASIDE/said"'],
  "its variable": ["bash", "-c", 'printf "%s\\0" "$LOCKSTEP_TITLE" >> "$ASIDE/said"'],
  "a positional argument of a script": ["bash", "-c", 'printf "%s\\0" "$1" >> "$ASIDE/said"', "bash", "{title}"],
};

describe("a title never runs", () => {
  test.for(Object.keys(FORMS))("as %s it arrives as it is written, whatever it holds", async (form) => {
    const lab = await makeLab({
      kind: "none",
      argv: FORMS[form]!,
      tasks: TITLES.map((title, i) => ({ id: `T${i}`, title, unchecked: true })),
    });
    expect((await runLab(lab)).outcome).toBe("done");
    expect(readText(lab.aside, "said").split("\0").slice(0, -1)).toEqual(TITLES);
    expect(readdirSync(lab.root).sort()).toEqual([".lockstep", "lockstep.yaml"]);
  });
});
