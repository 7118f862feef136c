import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { localProcesses } from "../adapters/processes/local-processes.ts";
import { endLeftTrials, FOLDER, signTrial } from "./left-trials.ts";

test.runIf(process.platform === "linux")(
  "a trial whose lockstep is gone is ended and removed, one that goes on is not",
  async () => {
    const place = mkdtempSync(join(tmpdir(), "lockstep-left-"));
    onTestFinished(() => rmSync(place, { recursive: true, force: true }));
    vi.stubEnv("TMPDIR", place);
    onTestFinished(() => void vi.unstubAllEnvs());
    const processes = localProcesses();
    const [left, own, unsigned] = ["left", "own", "unsigned"].map((name) => join(place, `${FOLDER}${name}`)) as [
      string,
      string,
      string,
    ];
    for (const folder of [left, own, unsigned]) mkdirSync(folder);
    const marks = [await signTrial(left, processes), await signTrial(own, processes)];
    const signed = JSON.parse(readFileSync(join(left, "owner.json"), "utf8"));
    writeFileSync(join(left, "owner.json"), JSON.stringify({ ...signed, owner: { ...signed.owner, start: "0" } }));
    const children = marks.map((mark) => {
      const [name, value] = mark.split("=") as [string, string];
      const child = spawn("sleep", ["600"], { env: { PATH: process.env["PATH"], [name]: value } });
      onTestFinished(() => void child.kill("SIGKILL"));
      return child;
    });
    const ended = once(children[0]!, "exit");
    await endLeftTrials(processes);
    expect(await ended).toEqual([null, "SIGKILL"]);
    expect(children[1]!.exitCode).toBeNull();
    expect(children[1]!.signalCode).toBeNull();
    expect([left, own, unsigned].map((folder) => existsSync(folder))).toEqual([false, true, true]);
  },
);
