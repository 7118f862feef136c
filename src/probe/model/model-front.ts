import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Model } from "./model-server.ts";

/** A model behind a server of its own on 127.0.0.1, which answers each request as `handle` does, and ends with it. */
export async function modelFront(
  model: Model,
  handle: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<Model> {
  const server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    ...model,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await model.close();
    },
  };
}
