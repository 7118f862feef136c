/** Where a runner's server can be reached from its own machine. */

import { mkdir, mkdtemp, rm } from "node:fs/promises";
import type { Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Listening {
  /** `http://127.0.0.1:PORT`, or `unix:PATH` of a socket. */
  address: string;
  close(): Promise<void>;
}

const LOOPBACK = "127.0.0.1";

/**
 * On loopback; where that is closed, or an agent without a network gives `socketIn`, on a socket in a folder of its own
 * there. Null where neither can be had.
 */
export async function listen(
  server: Server,
  { host = LOOPBACK, socketIn = null }: { host?: string | undefined; socketIn?: string | null | undefined } = {},
): Promise<Listening | null> {
  if (socketIn !== null) return listenOnSocket(server, socketIn);
  const place = (await tried(server, { host, port: 0 })) as AddressInfo | null;
  if (place !== null && (await isReached(place))) {
    return { address: `http://${host}:${place.port}`, close: async () => end(server) };
  }
  if (place !== null) await new Promise((resolve) => server.close(resolve));
  return listenOnSocket(server, tmpdir());
}

/** A network of its own whose loopback is down takes a server, and then lets nobody reach it. */
function isReached({ address, port }: AddressInfo): Promise<boolean> {
  return new Promise((resolve) => {
    const knock = connect(port, address);
    knock.once("error", () => resolve(false));
    knock.once("connect", () => {
      knock.destroy();
      resolve(true);
    });
  });
}

/** In a folder for temporary files, because the name of a socket must be short. */
async function listenOnSocket(server: Server, place: string): Promise<Listening | null> {
  // A full disk: the attempt goes on without, and its desk tells so.
  const folder = await mkdir(place, { recursive: true, mode: 0o700 })
    .then(() => mkdtemp(join(place, "lockstep-")))
    .catch(() => null);
  if (folder === null) return null;
  const path = join(folder, "runner");
  const close = async (): Promise<void> => {
    end(server);
    await rm(folder, { recursive: true, force: true });
  };
  if ((await tried(server, { path })) !== null) return { address: `unix:${path}`, close };
  await close();
  return null;
}

function tried(
  server: Server,
  where: { host: string; port: number } | { path: string },
): Promise<AddressInfo | string | null> {
  return new Promise((resolve) => {
    const failed = (): void => resolve(null);
    server.once("error", failed);
    server.listen(where, () => {
      server.off("error", failed);
      resolve(server.address());
    });
  });
}

function end(server: Server): void {
  server.close();
  server.closeAllConnections();
}
