import { describe, expect, test } from "vitest";
import { argvProblems, expandArgv, PLACEHOLDERS } from "./expand-argv.ts";

const values = Object.fromEntries(PLACEHOLDERS.map((name) => [name, `<${name}>`])) as Record<
  (typeof PLACEHOLDERS)[number],
  string
>;
const argv = (...template: string[]): string[] => expandArgv(template, values).argv;
const VARIABLE = `"$${"{LOCKSTEP_TITLE}"}"`;

describe("the script of a shell", () => {
  test.for([
    ["bash", "-c"],
    ["/bin/sh", "-ec"],
    ["bash", "-cu"],
    ["bash", "-c", "-u", "--"],
    ["bash", "-c", "-o", "pipefail"],
    ["env", "-i", "dash", "-c"],
    ["timeout", "5", "bash", "-o", "pipefail", "-c"],
    ["su", "agent", "-c"],
    ["flock", "lock", "-c"],
  ])("behind %s takes a quoted variable", (before) => {
    expect(argv(...before, "work {title}")).toEqual([...before, `work ${VARIABLE}`]);
  });

  test("ends with its own argument: what follows is text", () => {
    expect(argv("bash", "-c", "work $1", "bash", "{title}").at(-1)).toBe("<title>");
  });

  test("stands nowhere else: a -c of another program, or the file of a script, takes values as they are", () => {
    expect(argv("codex", "exec", "-c", "title={title}").at(-1)).toBe("title=<title>");
    expect(argv("bash", "-e", "work.sh", "{title}").at(-1)).toBe("<title>");
  });
});

describe("code that nothing could quote", () => {
  test.for([
    ["python3", "-c"],
    ["node", "-e"],
    ["fish", "-c"],
    ["tcsh", "-c"],
  ])("of %s is refused, with the variable to read", (before) => {
    expect(argvProblems([...before, "work {title}"])).toEqual([
      "{title} stands in code: read the variable LOCKSTEP_TITLE there instead",
    ]);
  });
});
