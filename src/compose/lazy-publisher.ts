import { systemClock } from "../adapters/clock/system-clock.ts";
import type { ProjectConfig } from "../config/config.ts";
import type { Publisher } from "../ports/publisher.ts";

/** A publisher whose code, and that of the forge's client, is loaded when something is published or looked at. */
export function lazyPublisher(config: ProjectConfig, root: string, env: NodeJS.ProcessEnv): Publisher {
  let loading: Promise<Publisher> | undefined;
  const loaded = (): Promise<Publisher> => {
    loading ??= load(config, root, env);
    return loading;
  };
  return {
    publish: async (request, signal) => (await loaded()).publish(request, signal),
    look: async (request, signal) => (await loaded()).look(request, signal),
    fetch: async (request, signal) => (await loaded()).fetch(request, signal),
  };
}

async function load({ publish, land }: ProjectConfig, dir: string, env: NodeJS.ProcessEnv): Promise<Publisher> {
  const { to, remote, repository, api_url, token_env } = publish;
  const hooks = land.git_hooks;
  if (to === "git") {
    const { gitPushPublisher } = await import("../adapters/publish/git-push.ts");
    const redact = (text: string): string => text.replaceAll(/\/\/[^/@\s]*@/g, "//");
    return gitPushPublisher({ dir, remote, hooks, env: {}, redact });
  }
  const { githubPublisher } = await import("../adapters/publish/github/github-publisher.ts");
  const now = (): number => systemClock.now();
  return githubPublisher({ now, dir, remote, hooks, env, token_env, repository, api_url });
}
