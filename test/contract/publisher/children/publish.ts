/** Publishes once in a process of its own, and prints what came of it. */

import { type GithubOptions, githubPublisher } from "../../../../src/adapters/publish/github/github-publisher.ts";
import type { PublishRequest } from "../../../../src/ports/publisher.ts";

interface Order {
  options: Omit<GithubOptions, "now">;
  now: number;
  request: PublishRequest;
}

const { options, now, request } = JSON.parse(process.argv[2] ?? "") as Order;
const publisher = githubPublisher({ ...options, now: () => now });
process.stdout.write(JSON.stringify(await publisher.publish(request, new AbortController().signal)));
