import { expect, test } from "vitest";
import { noWorkspace } from "./no-workspace.ts";

test("where the worker brings its own place nothing is hashed, saved or landed", async () => {
  const place = noWorkspace("/project");
  const task = { plan: "p", slug: "a", n: 1 };
  const candidate = { dir: "/project", target: null, tip: null, commit: null, tree: null, changed: [] };
  expect(await place.inspect()).toEqual({ target: null });
  expect(await place.open(task, { resume: false })).toEqual({ dir: "/project", target: null, base: null, tree: null });
  expect(await place.candidate({ ...task, base: null, message: "" })).toEqual(candidate);
  expect(await place.land(task, candidate)).toEqual({ landed: true });
  expect(await place.save(task)).toEqual({ saved: null });
  expect(await place.opened()).toBeNull();
});
