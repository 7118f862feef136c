import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dot, mermaid } from "./render.ts";

const TASKS = [
  { id: "F-1", depends_on: [], state: "verified" },
  { id: 'say "hi"]; #1 `x` <b> %% & \\', depends_on: ["F-1"], state: "in_progress" },
  { id: "漢 🛒 end", depends_on: ["F-1", "gone"], state: "unheard_of" },
  { id: "- 1. list", depends_on: [] },
];

describe("mermaid", () => {
  it("draws any id as text, and colours by state", () => {
    expect(mermaid(TASKS)).toBe(`flowchart LR
  n0["F-1"]:::verified
  n1["say #34;hi#34;#93;#59; #35;1 #96;x#96; #60;b#62; #37;#37; #38; #92;"]:::in_progress
  n2["漢 🛒 end"]
  n3["#45; 1#46; list"]
  n4["gone"]
  n0 --> n1
  n0 --> n2
  n4 --> n2
  classDef in_progress fill:#9ecbff,stroke:#3c4043,color:#202124
  classDef verified fill:#7fd08a,stroke:#3c4043,color:#202124
`);
  });

  it("draws an empty plan", () => {
    expect(mermaid([])).toBe("flowchart LR\n");
  });
});

describe("dot", () => {
  it("draws any id as text, and colours by state", () => {
    expect(dot(TASKS)).toBe(`digraph plan {
  rankdir=LR;
  node [shape=box, style="rounded,filled", fillcolor="#ffffff"];
  n0 [label="F-1", class="verified", fillcolor="#7fd08a"];
  n1 [label="say \\"hi\\"]; #1 \`x\` <b> %% &amp; \\\\", class="in_progress", fillcolor="#9ecbff"];
  n2 [label="漢 🛒 end"];
  n3 [label="- 1. list"];
  n4 [label="gone"];
  n0 -> n1;
  n0 -> n2;
  n4 -> n2;
}
`);
  });

  it("ends the text of every label where the id ends", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("\\", '"', "&", "]", ";", "a", "😀") }), (id) => {
        const line = dot([{ id, depends_on: [] }]).split("\n")[3]!;
        const [, text] = /^ {2}n0 \[label="((?:[^"\\]|\\.)*)"\];$/u.exec(line) ?? [];
        expect(text?.replace(/\\(.)/gu, "$1").replaceAll("&amp;", "&")).toBe(id);
      }),
    );
  });
});
