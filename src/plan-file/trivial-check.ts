/** Tells checks that are green whatever the task did. Only what is certain: everything else may be a real check. */

/** Programs that do nothing and succeed, whatever their arguments. */
const GREEN_PROGRAMS = new Set(["true", ":", "echo", "/bin/true", "/usr/bin/true", "/bin/echo", "/usr/bin/echo"]);

/** Run the command that follows them. */
const PREFIXES = new Set(["command", "builtin"]);

/** What a trivial check can begin with; most commands are told by their first word, without being taken apart. */
const TRIVIAL_BEGINNING =
  /^[\s;]*(?:$|[#:]|[^\s;]*["'\\]|true|echo|exit|command|builtin|\/(?:usr\/)?bin\/(?:true|echo))/;

/** Longer commands are not judged: somebody who writes so much means it. */
const JUDGED_LENGTH_MAX = 10_000;

type Token = { word: string } | { operator: ";" | "&&" | "||" };

/** True for an empty command, `true`, `:`, `exit 0`, `echo ...`, and lists of these such as `echo ok && exit 0`. */
export function isTrivialCheck(command: string): boolean {
  if (command.length > JUDGED_LENGTH_MAX || !TRIVIAL_BEGINNING.test(command)) return false;
  const tokens = tokensOf(command);
  if (tokens === null) return false;
  // After `||` a command may never run, so an `exit` there does not end the list for certain.
  const isStraight = !tokens.some((token) => "operator" in token && token.operator === "||");
  for (const words of commandsOf(tokens)) {
    if (isExit(words)) {
      if (isStraight) return true;
    } else if (!isGreen(words)) {
      return false;
    }
  }
  return true;
}

function isExit(words: readonly string[]): boolean {
  return words[0] === "exit" && (words.length === 1 || (words.length === 2 && words[1] === "0"));
}

function isGreen(words: readonly string[]): boolean {
  const first = words.findIndex((word) => !PREFIXES.has(word));
  return words.length === 0 || (first !== -1 && GREEN_PROGRAMS.has(words[first]!));
}

function commandsOf(tokens: readonly Token[]): string[][] {
  const commands: string[][] = [[]];
  for (const token of tokens) {
    if ("operator" in token) commands.push([]);
    else commands.at(-1)!.push(token.word);
  }
  return commands;
}

const PIECES = {
  blank: /[ \t]+|\\\n/,
  comment: /(?<![^\s;&|])#[^\n]*/,
  operator: /&&|\|\||;|\n/,
  // Plain characters, escaped ones, variables, and quotes without substitutions.
  word: /(?:[^\s;&|<>()$`\\"'#]|(?<=[^\s;&|])#|\\[^\n]|\$(?=[A-Za-z_])|'[^']*'|"(?:[^"\\$`]|\\[\s\S]|\$(?=[A-Za-z_]))*")+/,
  unsure: /[\s\S]/,
};

const TOKEN = new RegExp(
  Object.entries(PIECES)
    .map(([name, { source }]) => `(?<${name}>${source})`)
    .join("|"),
  "gy",
);

/** Null where the text holds something that this small reader does not know: substitutions, redirects, groups, pipes. */
function tokensOf(command: string): Token[] | null {
  const tokens: Token[] = [];
  for (const { groups } of command.matchAll(TOKEN)) {
    if (groups?.["unsure"] !== undefined) return null;
    const operator = groups?.["operator"];
    if (operator !== undefined) tokens.push({ operator: operator === "\n" ? ";" : (operator as ";" | "&&" | "||") });
    const word = groups?.["word"];
    if (word !== undefined) tokens.push({ word: word.replace(/\\(.)|["']/g, "$1") });
  }
  return tokens;
}
