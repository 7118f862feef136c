/** What is wrong with where an agent works: its home, what that has of the user's, its sandbox. */

import { type Finding, quoted } from "../plan-file/finding.ts";
import { homeOf, SHARED_WORDS, sharesOf } from "./agent-homes.ts";
import type { WrittenConfig } from "./config-schema.ts";

type WrittenAgent = NonNullable<WrittenConfig["agents"]>[string];

/** A path of the user's home, and no way out of it. */
const HOME_PATH = /^~\/(?!(?:.*\/)?\.\.(?:\/|$))[^\p{Cc}]+$/u;

/** `path` is the agent's. */
export function homeProblems(agent: WrittenAgent, path: string[]): Finding[] {
  const { adapter, share = [], readable = [], sandbox, network } = agent;
  const shared = share.flatMap((word, index): Finding[] => {
    const message = shareProblem(adapter, word);
    return message === null ? [] : [{ path: [...path, "share", index], message }];
  });
  const read = readable.flatMap((name, index): Finding[] =>
    HOME_PATH.test(name)
      ? []
      : [
          {
            path: [...path, "readable", index],
            message: `${quoted(name)} is no path below the home, such as ~/.rustup`,
          },
        ],
  );
  const only = (["network", "readable"] as const)
    .filter((key) => agent[key] !== undefined && sandbox === undefined)
    .map((key) => ({ path: [...path, key], atKey: true, message: `${key} says something of a sandbox: set sandbox` }));
  const none = adapter === "scripted" && (sandbox ?? network) !== undefined;
  const message = "a scripted agent runs in no sandbox";
  const scripted = none ? [{ path: [...path, "sandbox"], atKey: true, message }] : [];
  return [
    ...shared,
    ...read,
    ...only,
    ...scripted,
    ...hiddenHome(agent, path),
    ...(shared.length > 0 ? [] : unshared(agent, path)),
  ];
}

function hiddenHome({ home, sandbox }: WrittenAgent, path: string[]): Finding[] {
  if (home !== "shared" || sandbox === undefined) return [];
  const message = "a sandbox hides the user's home: leave out home: shared, or the sandbox";
  return [{ path: [...path, "home"], atKey: true, message }];
}

function unshared({ adapter, home, share }: WrittenAgent, path: string[]): Finding[] {
  if (share === undefined || (home ?? homeOf(adapter)) === "own") return [];
  const message =
    home === "shared"
      ? "has no effect beside home: shared, which has all of the user's: leave one of the two out"
      : `says what a home of its own has, and an agent of the adapter ${adapter} has none: set home: own`;
  return [{ path: [...path, "share"], atKey: true, message }];
}

function shareProblem(adapter: WrittenAgent["adapter"], word: string): string | null {
  if (HOME_PATH.test(word)) return null;
  if (!SHARED_WORDS.some((known) => known === word))
    return `${quoted(word)} is neither one of ${SHARED_WORDS.join(", ")} nor a path below the home, such as ~/.config/tool`;
  if (sharesOf(adapter) !== null) return null;
  return `where an agent of the adapter ${adapter} keeps its ${word} is not known: name paths, such as ~/.config/tool`;
}
