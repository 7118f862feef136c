/**
 * How much an assertion demands: 3 one result only, 2 a part of it or a range, 1 that there is something at all, 0
 * nothing, because every result satisfies it.
 */
export type Strength = 0 | 1 | 2 | 3;

export type Relation =
  | "equal"
  | "different"
  | "truthy"
  | "defined"
  | "type"
  | "contain"
  | "match"
  | "compare"
  | "near"
  | "shape"
  | "length"
  | "throws"
  | "quiet"
  | "snapshot"
  | "called"
  | "called_with"
  | "either"
  | "other"
  | "none";

export const STRENGTHS: Readonly<Record<Relation, Strength>> = {
  equal: 3,
  different: 1,
  truthy: 1,
  defined: 1,
  type: 1,
  contain: 2,
  match: 2,
  compare: 2,
  near: 2,
  shape: 2,
  length: 2,
  throws: 3,
  quiet: 1,
  snapshot: 2,
  called: 2,
  called_with: 3,
  either: 2,
  other: 2,
  none: 0,
};

/** The first that fits a name in lower case without anything but letters and digits decides. */
const RELATIONS: readonly (readonly [RegExp, Relation])[] = [
  [/notempty|notblank|isnotempty|tobenonempty/, "defined"],
  [/snapshot|screenshot|approv|golden|verifyjson/, "snapshot"],
  [/calledonce$|calledtimes$|calledwith|nthcalledwith|calledoncewith|anycall|hascalls|havereceived$/, "called_with"],
  [/called|received|invoked|hasbeencalled/, "called"],
  [/notthrow|doesnotthrow|nothrow|noerror|nothingraised|notraise|succeeds|success(?:ful)?$|isok$/, "quiet"],
  [/throw|raise|reject|exception|panic|fails(?:with)?$|^error(?:is|as|contains)?$|iserr$|^xctassertthrows/, "throws"],
  [
    /notnull|notnil|notundefined|isnotnone|isdefined|bedefined|exists?$|^present|ispresent|issome|beinthedocument$|notbenull|bepresent|notbenil/,
    "defined",
  ],
  [
    /notequal|notsame|notbe$|isnot$|^ne$|assertne|xpectne|differs|noteq|notdeepequal|notstrictequal|^isnotequalto|mustnotequal/,
    "different",
  ],
  [
    /isnull$|isnil$|assertnull|assertnil|benull|benil|assertisnone|isnone$|^nil$|^null$|beundefined|isundefined|^none$|isempty|beempty|assertempty|^empty$|isabsent|^undefined$|isnan|tobenan/,
    "equal",
  ],
  [
    /truthy|^true$|istrue|asserttrue|betrue|^ok$|^assert$|xpecttrue|requiretrue|xctasserttrue|^xctassert$|^assertok$|^require$|^check$|^expect$|isok|^assertpredicate$|debugassert$/,
    "truthy",
  ],
  [
    /falsy|falsey|^false$|isfalse|assertfalse|befalse|^refute$|^notok$|xctassertfalse|xpectfalse|assertnot$|requirefalse|checkfalse/,
    "truthy",
  ],
  [
    /instanceof|isinstance|typeof|kindof|isa$|^an?$|bea$|bean$|isexactlyinstance|oftype|hastype|assertistype|ishash|isarray|implements|assignablefrom/,
    "type",
  ],
  [
    /closeto|almostequal|almost|indelta|near|approx|within|inepsilon|withaccuracy|doubleeq|floateq|inrange|between|isclose/,
    "near",
  ],
  [
    /greater|less|atleast|atmost|above|below|assertgt|assertlt|assertge|assertle|xpectgt|xpectlt|xpectge|xpectle|morethan|^gte?$|^lte?$|ispositive|isnegative|before|after/,
    "compare",
  ],
  [/length|size|count(?!equal)|havelen|assertlen|^len$|hasrows/, "length"],
  [
    /matchobject|property|haskey|havekey|hasattribute|objectcontaining|containsubset|^like$|partialdeep|arraykey|objecthas|respondto|haveattributes|hasfield|assertjsonfragment|includesmembers|havekeys/,
    "shape",
  ],
  [/containsexactly|containonlyonce|hasexactly|matcharray|contain_exactly/, "equal"],
  [
    /contain|includ|^in$|assertin$|notin$|substring|startwith|startswith|endswith|endwith|hasitem|oneof|ofany|subset|assertsee|oneof/,
    "contain",
  ],
  [/matches|match|regex|^like|pattern|assertthat$/, "match"],
  [
    /equal|same|^tobe$|^eqs?$|^be$|^is$|asserteq|xpecteq|requireeq|checkeq|streq|mustbe|shouldbe|isequalto|identical|^eql$|^exactly|tohavetext|havetext|havevalue|assertstatus|^returns$|havehtml|^output$|assertoutput|assertjson|elementsmatch/,
    "equal",
  ],
];

/** Generic errors, which say no more than that something was thrown. */
const GENERIC_ERROR =
  /^(?:typeof\()?(?:\w+::|\\|builtins\.|java\.lang\.|System\.)?(?:Error|Exception|Throwable|BaseException|StandardError|RuntimeException|object)(?:\.class|::class|\.self|\))?(?:\.java)?$/;

const ANYTHING =
  /^(?:expect\.anything\(\)|expect\.any\(\w+\)|(?:mock\.|unittest\.mock\.)?ANY|any\(\)|anything|_|Mockito\.any\(\)|It\.IsAny<.*|sinon\.match\.any|be_present|mock\.Anything)$/;

const ASYMMETRIC =
  /\bexpect\.(?:any|anything|objectContaining|arrayContaining|stringContaining|stringMatching)\(|\bANY\b|\ban?_(?:instance_of|kind_of)\b|\bhash_including\b|\bmock\.Anything\b/;

/** What a matcher of this name means; names are compared without case, underscores and connectives. */
export function relationOf(name: string): Relation {
  const plain = name.replace(/[^A-Za-z0-9]/g, "").toLowerCase();
  return RELATIONS.find(([pattern]) => pattern.test(plain))?.[1] ?? "other";
}

/** How much is demanded by a relation to an expected value, as written. */
export function strengthOf(relation: Relation, negated: boolean, expected: string): Strength {
  if (relation === "none") return 0;
  if (negated && relation !== "truthy") return 1;
  if (relation === "throws") return expected === "" || GENERIC_ERROR.test(expected) ? 2 : 3;
  if (relation === "other") return expected === "" ? 2 : 3;
  if (relation === "equal" || relation === "called_with") {
    if (ANYTHING.test(expected)) return 1;
    if (ASYMMETRIC.test(expected)) return 2;
  }
  return STRENGTHS[relation];
}
