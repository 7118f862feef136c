/** What failed is found in whole outputs: of programs that are installed here as they printed it, of others as they would. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { failingPart } from "../../src/core/attempt/failing-part.ts";

/** As much as the next brief has room for. */
const MAX = 6_000;

const captured = (name: string): string =>
  readFileSync(join(import.meta.dirname, "..", "fixtures", "outputs", `${name}.txt`), "utf8");

/** Tests that pass, one block of lines each. */
const passing = (count: number, lines: (n: number) => string[]): string[] =>
  Array.from({ length: count }, (_, n) => lines(n)).flat();

const JEST = [
  ...passing(150, (n) => [
    "  console.error",
    `    Error: payment ${n} was refused, as it should be`,
    "        at refuse (src/payment.js:3:9)",
    "",
    `PASS src/payment-${n}.test.js`,
  ]),
  "FAIL src/cart.test.js",
  "  ● cart › rounds half a cent up",
  "",
  "    expect(received).toBe(expected) // Object.is equality",
  "",
  "    Expected: 0.31",
  "    Received: 0.305",
  "",
  "      28 | test('rounds half a cent up', () => {",
  "      29 |   const cart = [0.105, 0.2];",
  "    > 30 |   expect(total(cart)).toBe(0.31);",
  "         |                       ^",
  "      31 | });",
  "",
  "      at Object.toBe (src/cart.test.js:30:23)",
  "",
  ...passing(100, (n) => [`PASS src/page-${n}.test.js`]),
  "Test Suites: 1 failed, 250 passed, 251 total",
];

const PYTEST = [
  ...passing(200, (n) => [`tests/test_pay.py::test_pays_${n} PASSED                    [ ${n}%]`]),
  "tests/test_cart.py::test_rounds_half_a_cent_up FAILED                 [100%]",
  "",
  "=================================== FAILURES ===================================",
  "__________________________ test_rounds_half_a_cent_up __________________________",
  "",
  "    def test_rounds_half_a_cent_up():",
  "        cart = [0.105, 0.2]",
  ">       assert total(cart) == 0.31",
  "E       assert 0.305 == 0.31",
  "E        +  where 0.305 = total([0.105, 0.2])",
  "",
  "tests/test_cart.py:30: AssertionError",
  "----------------------------- Captured stdout call -----------------------------",
  ...passing(200, (n) => [`adding up line ${n} of the cart, with its tax and its discount`]),
  "=========================== short test summary info ============================",
  "FAILED tests/test_cart.py::test_rounds_half_a_cent_up - assert 0.305 == 0.31",
  "======================== 1 failed, 200 passed in 3.21s =========================",
];

const GO = [
  ...passing(150, (n) => [`=== RUN   TestPays${n}`, "    pay_test.go:7: paid", `--- PASS: TestPays${n} (0.00s)`]),
  "=== RUN   TestRoundsHalfACentUp",
  "    cart_test.go:30: total is 0.305",
  "    cart_test.go:31: want 0.31",
  "    cart_test.go:32: of the cart [0.105 0.2]",
  "    cart_test.go:33: in EUR",
  "--- FAIL: TestRoundsHalfACentUp (0.00s)",
  ...passing(150, (n) => [`=== RUN   TestShows${n}`, `--- PASS: TestShows${n} (0.00s)`]),
  "FAIL",
  "FAIL\texample.com/shop/cart\t0.004s",
];

const CARGO = [
  ...passing(200, (n) => [`test pay::tests::pays_${n} ... ok`]),
  "test cart::tests::rounds_half_a_cent_up ... FAILED",
  "",
  "failures:",
  "",
  "---- cart::tests::rounds_half_a_cent_up stdout ----",
  "",
  "thread 'cart::tests::rounds_half_a_cent_up' panicked at src/cart.rs:30:9:",
  "assertion `left == right` failed",
  "  left: 0.305",
  " right: 0.31",
  "note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace",
  "",
  ...passing(100, (n) => [`warning: unused variable: price_${n} in a test that is left out of this build`]),
  "test result: FAILED. 200 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s",
];

test.each([
  [
    "vitest",
    captured("vitest"),
    ["rounds half a cent up", "expected 0.305 to be 0.31", "src/cart2.test.ts:30:23", "Cannot read properties of null"],
  ],
  ["node --test", captured("node-spec"), ["rounds half a cent up", "1 !== 1.01", "basket.test.mjs:64:", "'EUR'"]],
  [
    "node --test, as TAP",
    captured("node-tap"),
    ["not ok 62 - rounds half a cent up", "1 !== 1.01", "basket.test.mjs:64:1"],
  ],
  ["tsc", captured("tsc"), ["src/types.ts(1,14): error TS2322: Type 'string' is not assignable to type 'number'."]],
  ["jest", JEST.join("\n"), ["● cart › rounds half a cent up", "Received: 0.305", "src/cart.test.js:30:23"]],
  [
    "pytest",
    PYTEST.join("\n"),
    ["test_rounds_half_a_cent_up", "E       assert 0.305 == 0.31", "tests/test_cart.py:30"],
  ],
  [
    "go test -v",
    GO.join("\n"),
    ["--- FAIL: TestRoundsHalfACentUp", "cart_test.go:30: total is 0.305", "example.com/shop"],
  ],
  ["cargo test", CARGO.join("\n"), ["panicked at src/cart.rs:30:9", "  left: 0.305\n right: 0.31", "1 failed"]],
])("what failed in %s, where, and why, stands in the brief of the next try", (_, output, told) => {
  expect(output.length).toBeGreaterThan(MAX);
  const part = failingPart(output, MAX);
  for (const words of told) expect(part).toContain(words);
  expect(part.length).toBeLessThanOrEqual(MAX);
});
