import { expect, test } from "vitest";
import { AcpConnection } from "./acp-connection.ts";

/** A connection to nobody, and what was written to it. */
function connect() {
  const written: string[] = [];
  const connection = new AcpConnection({ asked: async () => null, told: () => {}, note: () => {} });
  connection.open({ write: (text) => written.push(text), end: () => {} });
  return { connection, written };
}

const stop = new AbortController().signal;

test("answers find their requests in whatever order they come, and a late or foreign one finds nothing", async () => {
  const { connection, written } = connect();
  const [first, second] = [connection.request("a", {}, { stop }), connection.request("b", { x: 1 }, { stop })];
  expect(written).toEqual([
    '{"jsonrpc":"2.0","id":1,"method":"a","params":{}}\n',
    '{"jsonrpc":"2.0","id":2,"method":"b","params":{"x":1}}\n',
  ]);
  connection.hear('{"id":2,"result":{"n":2}}', 0);
  connection.hear('{"id":7,"result":{}}', 0);
  connection.hear('{"id":1,"error":{"code":1,"message":"no"}}', 0);
  connection.hear('{"id":1,"result":{}}', 0);
  expect(await second).toEqual({ kind: "result", result: { n: 2 } });
  expect(await first).toEqual({ kind: "error", error: { code: 1, message: "no", data: undefined } });
});

test("nothing is asked of one that is gone, and nobody waits for it", async () => {
  const { connection, written } = connect();
  const asked = connection.request("a", {}, { stop });
  connection.gone();
  expect(await asked).toEqual({ kind: "gone" });
  expect(await connection.request("b", {}, { stop })).toEqual({ kind: "gone" });
  expect(written).toHaveLength(1);
});

test("it is quiet when it has said nothing for the time, not before", async () => {
  const { connection } = connect();
  let said = 0;
  const talking = setInterval(() => {
    connection.hear("a line", 0);
    said += 1;
    if (said === 20) clearInterval(talking);
  }, 5);
  await connection.quiet(40);
  expect(said).toBe(20);
});

test("its last lines that are no messages are kept", () => {
  const { connection } = connect();
  for (let n = 1; n <= 7; n++) connection.hear(`line ${n} `, 0);
  connection.hear("  ", 0);
  connection.hear('{"method":"x"}', 0);
  expect(connection.stray).toBe("line 3\nline 4\nline 5\nline 6\nline 7");
});
