/** Programs that start what stands in their arguments, and where in them that begins. */

import { UNKNOWN_TEXT } from "../../core/policy/tool-rules.ts";
import { isKnown, plainWord, type ShellWord } from "./shell-word.ts";

interface Starter {
  /** Options that are one word. */
  alone?: RegExp;
  /** Options whose value is the next word. */
  valued?: RegExp;
  /** Options with which it starts nothing. */
  none?: RegExp;
  /** Words before the command, such as a time. */
  operands?: number;
  /** `NAME=VALUE` may stand before the command. */
  assigns?: true;
}

const STARTERS: Readonly<Record<string, Starter>> = {
  builtin: {},
  busybox: {},
  command: { alone: /^-p$/, none: /^-[pvV]*[vV][pvV]*$/ },
  env: {
    alone: /^(?:-|-[i0v]+|-[uC].+|--ignore-environment|--(?:unset|chdir)=.*)$/,
    valued: /^(?:-[uC]|--unset|--chdir)$/,
    assigns: true,
  },
  exec: { alone: /^-[cl]+$/, valued: /^-[cl]*a$/ },
  ionice: { alone: /^-(?:t|[cn]\d)$/, valued: /^-[cn]$/ },
  nice: { alone: /^(?:-n?-?\d+|--adjustment=.*)$/, valued: /^(?:-n|--adjustment)$/ },
  nocorrect: {},
  noglob: {},
  nohup: {},
  repeat: { operands: 1 },
  setsid: { alone: /^-[cfw]+$/ },
  stdbuf: { alone: /^(?:-[ioe].+|--(?:input|output|error)=.*)$/, valued: /^-[ioe]$/ },
  sudo: { alone: /^-[AbEHknPS]+$/, valued: /^-[CghpTu]$/, assigns: true },
  doas: { alone: /^-[nL]+$/, valued: /^-[Cu]$/ },
  time: { alone: /^-[pv]+$/ },
  timeout: {
    alone: /^(?:-[fpv]+|-[ks].+|--(?:foreground|preserve-status|verbose)|--(?:signal|kill-after)=.*)$/,
    valued: /^-[ks]$/,
    operands: 1,
  },
  toybox: {},
  xargs: {
    alone: /^(?:-[0prtx]+|-[dEILnPs].+|-i.*|--(?:null|no-run-if-empty|verbose)|--[a-z-]+=.*)$/,
    valued: /^-[dEILnPs]$/,
  },
};

/** They start something as well; where it begins is told by nothing that is worth the trouble. */
const OTHER_STARTERS = new Set(
  "bwrap caffeinate chroot chrt emulate fakeroot firejail flock gdb gtimeout gxargs ltrace nsenter numactl parallel pkexec prlimit proot rlwrap runuser script setarch strace su systemd-run taskset torsocks unbuffer unshare watch xvfb-run".split(
    " ",
  ),
);

/** What a command starts. `assigned` are the variables that it sets for that. */
export interface Started {
  assigned: ShellWord[];
  /** Empty: it starts nothing. */
  words: ShellWord[];
}

const ASSIGNMENT = /^[A-Za-z_][^=\s]*=/;

/** Null: it is no starter. `unclear`: each of its words may begin what it starts. */
export function startedBy(name: string, words: readonly ShellWord[]): Started | "unclear" | null {
  const starter = Object.hasOwn(STARTERS, name) ? STARTERS[name]! : null;
  if (starter === null) return OTHER_STARTERS.has(name) ? "unclear" : null;
  const { alone, valued, none, operands = 0, assigns = false } = starter;
  let at = 1;
  for (; words[at]?.text.startsWith("-"); at++) {
    const { text } = words[at]!;
    if (text === "--") {
      at++;
      break;
    }
    if (none?.test(text)) return { assigned: [], words: [] };
    if (valued?.test(text)) at++;
    else if (!alone?.test(text)) return "unclear";
  }
  const assigned: ShellWord[] = [];
  for (; assigns && ASSIGNMENT.test(words[at]?.text ?? ""); at++) assigned.push(words[at]!);
  at += operands;
  // A value that shows only when it runs may be several words.
  if (!words.slice(1, at).every(isOneWord)) return "unclear";
  const started = words.slice(at);
  return { assigned, words: name === "xargs" ? withInput(words.slice(1, at), started) : started };
}

function isOneWord(word: ShellWord): boolean {
  return isKnown(word) || word.raw.includes('"');
}

/** What comes on the standard input of `xargs` stands at the end, or wherever its words have `{}` or what `-I` says. */
function withInput(options: readonly ShellWord[], started: readonly ShellWord[]): ShellWord[] {
  const at = options.findIndex(({ text }) => /^(?:-[Ii]|--replace)/.test(text));
  if (at === -1) return started.length === 0 ? [] : [...started, plainWord(UNKNOWN_TEXT)];
  const option = options[at]!.text;
  const mark = option === "-I" ? options[at + 1]!.text : option.replace(/^(?:-[Ii]|--replace=?)/, "") || "{}";
  return started.map((word) => unknownAt(mark, word));
}

/** Each `-exec` of `find`, with what it finds as something unknown; `isClear` false: not all of them can be told. */
export function startedByFind(words: readonly ShellWord[]): { commands: ShellWord[][]; isClear: boolean } {
  const commands: ShellWord[][] = [];
  let isClear = words.every(isKnown);
  for (let at = 1; at < words.length; at++) {
    if (!/^-(?:exec|ok)(?:dir)?$/.test(words[at]!.text)) continue;
    const length = words.slice(at + 1).findIndex(({ text }) => text === ";" || text === "+");
    const end = length === -1 ? words.length : at + 1 + length;
    if (length < 1) isClear = false;
    const command = words.slice(at + 1, end).map((word) => unknownAt("{}", word));
    if (command.length > 0) commands.push(command);
    at = end;
  }
  return { commands, isClear };
}

function unknownAt(mark: string, word: ShellWord): ShellWord {
  return { ...word, text: word.text.replaceAll(mark, UNKNOWN_TEXT) };
}
