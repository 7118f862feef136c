import { expect, test } from "vitest";
import { parseByteSize } from "./byte-size.ts";

test("a size is a number and a unit", () => {
  expect(parseByteSize("1KB")).toBe(1024);
  expect(parseByteSize("500MB")).toBe(524_288_000);
  expect(parseByteSize("2GB")).toBe(2_147_483_648);
  expect(parseByteSize("1TB")).toBe(1_099_511_627_776);
  for (const wrong of ["", "1", "1B", "1.5GB", "-1GB", "1 GB", "1gb", "1GB\n"]) expect(parseByteSize(wrong)).toBeNull();
});
