import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { a1, a2, git, open, placeWith, stateDir, writeAt } from "./worktree.fixture.ts";

test("worktrees and saved work are counted, saved work as far as nothing else has it", async () => {
  const place = placeWith();
  expect(await place.inUse()).toEqual([
    { kind: "worktree", count: 0, bytes: 0 },
    { kind: "saved", count: 0, bytes: 0 },
  ]);
  expect(existsSync(stateDir)).toBe(false);
  const { dir } = await open(place, a1);
  writeAt(dir, "large", randomBytes(50_000).toString("latin1"));
  await place.save(a1);
  const [worktrees, shared] = (await place.inUse()) as { count: number; bytes: number }[];
  expect(worktrees).toMatchObject({ count: 1 });
  expect(worktrees!.bytes).toBeGreaterThan(50_000);
  // The work branch has it as well: what its saved ref costs is nothing of its own.
  expect(shared).toEqual({ kind: "saved", count: 1, bytes: 0 });
  await open(place, a2);
  const alone = ((await place.inUse()) as { bytes: number }[])[1]!.bytes;
  expect(alone).toBeGreaterThan(50_000);
  git("branch", "mine", "refs/lockstep/saved/p/a/1");
  expect(((await place.inUse()) as { bytes: number }[])[1]!.bytes).toBe(0);
});
