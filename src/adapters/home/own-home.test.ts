import { execFileSync } from "node:child_process";
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import type { OwnHome } from "../../ports/runner.ts";
import { prepareHome, takeBack } from "./own-home.ts";

let base: string;
let home: OwnHome;

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "lockstep-home-")));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const user = join(base, "user");
  home = {
    dir: join(base, "own"),
    shares: [
      { from: join(user, ".agent/auth.json"), to: ".agent/auth.json", how: "link" },
      { from: join(user, ".agent/settings"), to: ".agent/settings", how: "copy" },
      { from: join(user, ".agent.json"), to: ".agent.json", how: "fields", fields: ["account", "done"] },
    ],
    git: [join(user, ".gitconfig")],
  };
  write("user/.agent/auth.json", "old");
  write("user/.agent/settings/one", "1");
  write("user/.agent.json", JSON.stringify({ account: { id: 7 }, done: true, history: ["all that was ever said"] }));
  write("user/.gitconfig", "[user]\n\tname = Anna\n\temail = anna@example.com\n[commit]\n\tgpgSign = true\n");
});

function write(name: string, text: string): string {
  const file = join(base, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

const read = (name: string): string => readFileSync(join(base, name), "utf8");

test("a home has of the user's what is shared: log-ins are the same file, settings a copy, and of an account its keys", () => {
  expect(prepareHome(home)).toEqual([]);
  expect(statSync(home.dir).mode & 0o777).toBe(0o700);
  write("own/.agent/auth.json", "renewed");
  write("own/.agent/settings/one", "changed");
  expect(read("user/.agent/auth.json")).toBe("renewed");
  expect(read("user/.agent/settings/one")).toBe("1");
  expect(JSON.parse(read("own/.agent.json"))).toEqual({ account: { id: 7 }, done: true });
});

test("what the user does not have is not there, and no reason to stay away", () => {
  rmSync(join(base, "user"), { recursive: true });
  expect(prepareHome(home)).toEqual([]);
  expect(lstatSync(join(base, "own/.agent"), { throwIfNoEntry: false })).toBeUndefined();
});

test("a second attempt finds what the first left, with the user's settings as they are now", () => {
  prepareHome(home);
  write("own/.agent/sessions/s-1", "said");
  write("own/.agent/settings/one", "changed");
  write("own/.agent.json", JSON.stringify({ account: { id: 7 }, own: 1 }));
  write("user/.agent/settings/one", "2");
  expect(prepareHome(home)).toEqual([]);
  expect(read("own/.agent/sessions/s-1")).toBe("said");
  expect(read("own/.agent/settings/one")).toBe("2");
  expect(JSON.parse(read("own/.agent.json"))).toEqual({ account: { id: 7 }, done: true, own: 1 });
});

test("a log-in that was written anew in the place of its link becomes the user's, and the link is made again", () => {
  prepareHome(home);
  const own = join(home.dir, ".agent/auth.json");
  rmSync(own);
  write("own/.agent/auth.json", "renewed");
  expect(takeBack(home)).toEqual([]);
  expect(read("user/.agent/auth.json")).toBe("renewed");
  expect(statSync(join(base, "user/.agent/auth.json")).mode & 0o777).toBe(0o600);
  expect(lstatSync(own).isSymbolicLink()).toBe(true);
  rmSync(own);
  write("own/.agent/auth.json", "of an attempt that died");
  expect(prepareHome(home)).toEqual([]);
  expect(read("user/.agent/auth.json")).toBe("of an attempt that died");
});

test("a log-in that the user renewed meanwhile is not replaced by an older one", () => {
  prepareHome(home);
  const own = join(home.dir, ".agent/auth.json");
  rmSync(own);
  write("own/.agent/auth.json", "stale");
  utimesSync(own, 1, 1);
  expect(takeBack(home)).toEqual([]);
  expect(read("user/.agent/auth.json")).toBe("old");
  expect(readFileSync(own, "utf8")).toBe("old");
});

test("a shared file that is itself a link stays one", () => {
  write("dotfiles/auth.json", "kept elsewhere");
  rmSync(join(base, "user/.agent/auth.json"));
  symlinkSync(join(base, "dotfiles/auth.json"), join(base, "user/.agent/auth.json"));
  prepareHome(home);
  rmSync(join(home.dir, ".agent/auth.json"));
  write("own/.agent/auth.json", "renewed");
  takeBack(home);
  expect(lstatSync(join(base, "user/.agent/auth.json")).isSymbolicLink()).toBe(true);
  expect(read("dotfiles/auth.json")).toBe("renewed");
});

test("what cannot be shared is told, and the rest is", () => {
  rmSync(join(base, "user/.agent/auth.json"));
  mkdirSync(join(base, "own"));
  write("own/.agent", "a file in the way");
  const problems = prepareHome(home);
  expect(problems).toHaveLength(2);
  expect(problems[0]).toMatch(/auth\.json could not be shared: ENOTDIR/);
  expect(JSON.parse(read("own/.agent.json"))).toEqual({ account: { id: 7 }, done: true });
});

test("git knows its user there, and asks for no signature", () => {
  prepareHome(home);
  const env = { PATH: process.env["PATH"]!, HOME: home.dir, GIT_CONFIG_NOSYSTEM: "1" };
  const git = (name: string): string =>
    execFileSync("git", ["config", name], { env, encoding: "utf8", cwd: base }).trim();
  expect(git("user.email")).toBe("anna@example.com");
  expect(git("commit.gpgSign")).toBe("false");
});
