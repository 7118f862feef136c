import { type Finding, findingOf } from "./integrity-change.ts";
import { marksAdded } from "./marks.ts";
import { readAssertions } from "./read-assertions.ts";
import type { ChangedLine, Survey } from "./survey.ts";
import { unitOf } from "./test-files.ts";

/** Stand-ins for a whole module: the group is its path. */
const MODULE =
  /\b(?:jest|vi|vitest|mock)\.(?:mock|doMock|module|setMock|unstable_mockModule)\(\s?["'`](?:import\()?([^"'`]{1,200})["'`]|\bproxyquire\(\s?["']([^"']{1,200})/;

/** Stand-ins for a function: the groups are where it is and what it is called. */
const FUNCTION = [
  /\b(?:jest|vi|vitest|sinon|mock)\.(?:spyOn|stub|replace|method)\(\s?([\w.$]{1,100}),\s?["'`](\w{1,80})["'`]/,
  /\bpatch(?:\.object)?\(\s?["']?([\w.]{1,150}?)(?:\.|["']?,\s?["'])(\w{1,80})["']/,
  /\bmonkeypatch\.setattr\(\s?["']?([\w.]{1,150}?)(?:\.|,\s?["'])(\w{1,80})["']/,
  /\b(?:allow|expect)\(([\w.:@]{1,100})\)\.to receive\(:(\w{1,80})/,
  /\b(?:when|given|doReturn\([^()\n]{0,80}\)\.when|every \{|whenever)\(?\s?([\w.]{1,80}?)\)?\.(\w{1,80})\(/,
  /^\s*([\w.]{1,80})\.(\w{1,80})\s?=\s?(?:jest\.fn|vi\.fn|MagicMock|Mock\(|sinon\.stub|lambda\b|\(\)\s?=>|async\s?\(\)\s?=>|function\b|mock\.fn)/,
];

/** Stand-ins for a type: the group is its name. */
const TYPE =
  /\b(?:mock|spy|Mock\.Of|createMock|mockk|instance_double|double|Substitute\.For|new Mock)(?:<|\(\s?["']?)([\w.\\]{1,100}?)(?:\.class|::class|>|["']?\)|\()|@(?:Mock|InjectMocks|MockBean|Spy)\s+(?:private\s+)?([\w.]{1,80})\s/;

/** The very thing under test replaced, so that the assertions hold of the stand-in. */
export function judgeMockedUnits(survey: Survey): Finding[] {
  const tested = new Map<string, string>();
  const added = marksAdded(survey, {
    on: (source) => source.collected,
    keys: (line) => (isOfUnit(line, tested) ? ["mocked"] : []),
  });
  return added.map(({ line: { source, line, code } }) =>
    findingOf({ rule: "unit_mocked", path: source.path, line, evidence: code }),
  );
}

/** `tested` keeps, by path, what the assertions of a file are about. */
function isOfUnit(line: ChangedLine, tested: Map<string, string>): boolean {
  const { code, source } = line;
  const unit = unitOf(source.path);
  const module = MODULE.exec(code);
  if (module !== null) return unitOf(module[1] ?? module[2]!) === unit && unit !== "";
  const type = TYPE.exec(code);
  if (type !== null) return plain((type[1] ?? type[2]!).split(/[.\\]/).at(-1)!) === unit;
  for (const form of FUNCTION) {
    const found = form.exec(code);
    if (found === null) continue;
    const subjects = subjectsOf(line, tested);
    const [, owner, name] = found as unknown as [string, string, string];
    const last = owner.split(/[.:]/).at(-1)!;
    const isAsserted = new RegExp(`(?:^|[^.\\w])(?:${last}\\.)?${name}\\(`).test(subjects);
    if (
      isAsserted &&
      !/^(?:fetch|console|Date|Math|process|fs|axios|http|requests|time|random|os|datetime|window|document|localStorage)$/.test(
        last,
      )
    )
      return true;
  }
  return false;
}

/** What is asserted about, and what the values are worked out from. */
function subjectsOf({ source }: ChangedLine, tested: Map<string, string>): string {
  const known = tested.get(`${source.path} ${source.text.length}`);
  if (known !== undefined) return known;
  const asserted = readAssertions(source)
    .filter(({ relation }) => !relation.startsWith("called"))
    .map(({ subject }) => subject);
  const worked = [
    ...source.bare.matchAll(/^[ \t]*(?:const|let|var|val)?[ \t]*\w{1,40}[ \t]*:?=[ \t]*(?:await )?([\w.]{1,80}\()/gm),
  ].map((match) => match[1]!);
  const text = [...asserted, ...worked].join("\n").slice(0, 50_000);
  tested.set(`${source.path} ${source.text.length}`, text);
  return text;
}

function plain(name: string): string {
  return name.replace(/[^A-Za-z0-9]/g, "").toLowerCase();
}
