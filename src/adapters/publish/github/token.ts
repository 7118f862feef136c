import { spawn } from "node:child_process";
import type { PublishRefusal } from "../../../ports/publisher.ts";
import { refusal } from "../refusal.ts";

export interface TokenSettings {
  env: Readonly<Record<string, string | undefined>>;
  /** Name of the variable that has the token, where the configuration says. Then no other place is looked at. */
  token_env: string | null;
  /** Of the repository: a token is sent to no other host than the one that it is for. */
  host: string;
}

/** Gh asks its keyring, which may wait for a person. */
const GH_LIMIT_MS = 10_000;
const OUTPUT_BYTES_MAX = 64 * 1024;

/** The named variable, else those that GitHub's own tools read, else what `gh` is logged in with. */
export async function githubToken({ env, token_env, host }: TokenSettings): Promise<string | PublishRefusal> {
  const isPublic = host === "github.com" || host === "www.github.com" || host.endsWith(".ghe.com");
  const usual = isPublic ? ["GITHUB_TOKEN", "GH_TOKEN"] : ["GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN"];
  const names = token_env === null ? usual : [token_env];
  const found = names.map((name) => env[name]?.trim()).find((value) => value !== undefined && value !== "");
  if (found !== undefined) return checked(found, names.join(" or "));
  if (token_env !== null) {
    return refusal(
      "forbidden",
      `The variable ${token_env} has no token for ${host}.`,
      `Set ${token_env}, or drop publish.token_env.`,
    );
  }
  const logged = await tokenOfGh(host, env);
  if (logged !== null) return checked(logged, "gh auth token");
  const next = `Set ${usual.join(" or ")}, or log in with \`gh auth login --hostname ${host}\`.`;
  return refusal("forbidden", `There is no token for ${host}.`, next);
}

/** What does not fit into a header would be told in the error of whoever sends it. */
function checked(token: string, from: string): string | PublishRefusal {
  if (/^[\x21-\x7e]{1,1000}$/.test(token)) return token;
  return refusal(
    "forbidden",
    `What ${from} gives is not a token.`,
    "Write the token alone, without spaces or line breaks.",
  );
}

/** Null: there is no gh, or it is not logged in there. */
function tokenOfGh(host: string, env: TokenSettings["env"]): Promise<string | null> {
  return new Promise((resolve) => {
    const child = spawn("gh", ["auth", "token", "--hostname", host], {
      env: { ...env, GH_PROMPT_DISABLED: "1", GH_NO_UPDATE_NOTIFIER: "1" },
      stdio: ["ignore", "pipe", "ignore"],
    });
    const limit = setTimeout(() => child.kill("SIGKILL"), GH_LIMIT_MS);
    let said = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      if (said.length < OUTPUT_BYTES_MAX) said += text;
    });
    const end = (token: string | null): void => {
      clearTimeout(limit);
      resolve(token);
    };
    child.once("error", () => end(null));
    child.once("close", (code) => end(code === 0 && said.trim() !== "" ? said.trim() : null));
  });
}
