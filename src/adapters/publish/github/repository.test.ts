import { describe, expect, it } from "vitest";
import { githubRepository } from "./repository.ts";

const NOTHING_SET = { repository: null, api_url: null };

describe("the address of a remote", () => {
  it.each([
    ["https://github.com/acme/widgets.git"],
    ["https://github.com/acme/widgets"],
    ["https://github.com/acme/widgets/"],
    ["https://x-access-token:secret@github.com/acme/widgets.git"],
    ["git@github.com:acme/widgets.git"],
    ["github.com:acme/widgets"],
    ["ssh://git@github.com/acme/widgets.git"],
    ["ssh://git@github.com:22/acme/widgets"],
    ["ssh://git@ssh.github.com:443/acme/widgets.git"],
  ])("names a repository: %s", (url) => {
    expect(githubRepository(url, NOTHING_SET)).toMatchObject({
      owner: "acme",
      repo: "widgets",
      api_url: "https://api.github.com",
    });
  });

  it.each([
    [
      "https://acme.ghe.com/a/b.c.git",
      null,
      { host: "acme.ghe.com", repo: "b.c", api_url: "https://api.acme.ghe.com" },
    ],
    [
      "git@git.corp.test:a/b.git",
      "https://git.corp.test/api/v3/",
      { host: "git.corp.test", api_url: "https://git.corp.test/api/v3" },
    ],
    ["https://git.corp.test:8443/a/b", "https://git.corp.test:8443/api/v3", { host: "git.corp.test:8443" }],
  ])("may be of another GitHub: %s", (url, api_url, expected) => {
    expect(githubRepository(url, { repository: null, api_url })).toMatchObject({ owner: "a", ...expected });
  });

  it.each([
    ["/srv/git/widgets.git"],
    ["../widgets"],
    ["file:///srv/git/widgets.git"],
    ["git://github.com/acme/widgets.git"],
    ["C:/src/widgets"],
    ["https://github.com/acme"],
    ["https://github.com/acme/widgets/tree/main"],
    ["https://github.com/acme/.."],
    ["https://github.com/acme/wid gets"],
    ["https://github.com/acme/widgets?x=1"],
    ["https://gitlab.com/acme/widgets.git"],
    ["git@git.corp.test:acme/widgets.git"],
    ["-oProxyCommand=x:acme/widgets"],
    [""],
  ])("is refused where it names none: %j", (url) => {
    expect(githubRepository(url, NOTHING_SET)).toMatchObject({ code: "invalid", retriable: false });
  });

  it("is refused with what to set, and never tells a password", () => {
    expect(githubRepository("https://u:secret@git.corp.test/a/b", NOTHING_SET)).toEqual({
      code: "invalid",
      text: "Nothing says that git.corp.test is a GitHub.",
      next: "If it is a GitHub Enterprise Server, set publish.api_url: https://git.corp.test/api/v3; else set publish.to: git.",
      retriable: false,
      until: null,
    });
    expect(githubRepository("ftp://u:secret@git.corp.test/a/b", NOTHING_SET)).toMatchObject({
      text: "The remote's address ftp://git.corp.test/a/b names no repository of GitHub.",
    });
  });

  it("gives way to the repository that is set, as for another name of the host", () => {
    const set = { repository: "acme/widgets", api_url: "https://api.github.com" };
    expect(githubRepository("git@work-account:mine/fork.git", set)).toMatchObject({ owner: "acme", repo: "widgets" });
    expect(githubRepository("git@github.com:a/b", { repository: "no slash", api_url: null })).toMatchObject({
      code: "invalid",
    });
  });

  it.each([
    ["http://git.corp.test/api/v3"],
    ["git.corp.test"],
    ["https://u:p@git.corp.test/api/v3"],
    ["https://git.corp.test/?a"],
  ])("is of no use with an API to which no token may be sent: %s", (api_url) => {
    const refused = githubRepository("git@git.corp.test:a/b", { repository: null, api_url });
    expect(refused).toMatchObject({ code: "invalid", text: expect.not.stringContaining("u:p") });
  });
});
