import { expect, test } from "vitest";
import { childEnv } from "./child-env.ts";

test("a child gets neither secrets nor marks that are set anew for it, but what an outer lockstep ends it by", () => {
  const env = {
    PATH: "/bin",
    API_KEY: "x",
    LOCKSTEP_ATTEMPT: "p/A#1",
    LOCKSTEP_CHECKED: "p/A#1",
    LOCKSTEP_CHECK: "a:b",
  };
  expect(childEnv(env)).toEqual({ PATH: "/bin", LOCKSTEP_CHECK: "a:b" });
});
