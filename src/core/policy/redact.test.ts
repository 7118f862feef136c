import fc from "fast-check";
import { expect, test } from "vitest";
import { redactText, redactValue } from "./redact.ts";
import { secretsOf } from "./secrets.ts";

const NONE = secretsOf([]);
const A = (length: number): string => "aB3dE6gH9j".repeat(length).slice(0, length);

/** Made of parts, so that nothing that looks for secrets in files finds one in this one. */
const SECRETS: readonly string[] = [
  `sk-${"ant"}-api03-${A(40)}`,
  `sk-${"proj"}-${A(60)}`,
  `sk-${A(48)}`,
  `gh${"p"}_${A(36)}`,
  `github_${"pat"}_${A(60)}`,
  `glpat-${A(20)}`,
  `AK${"IA"}ABCDEFGHIJKLMNOP`,
  `AI${"za"}${A(35)}`,
  `xox${"b"}-${A(30)}`,
  `npm_${A(36)}`,
  `hf_${A(34)}`,
  `sk_${"live"}_${A(24)}`,
  `123456789:AA${A(33)}`,
  `eyJ${A(20)}.eyJ${A(30)}.${A(43)}`,
  `-----BEGIN RSA ${"PRIVATE"} KEY-----\n${A(64)}\n${A(64)}\n`,
];

test.each(SECRETS)("%j is not written, wherever in a text it stands", (secret) => {
  expect(redactText(NONE, secret)).toBe("[redacted]");
  expect(redactText(NONE, `key=${secret} and ${secret}"`)).toBe('key=[redacted] and [redacted]"');
  expect(redactText(NONE, `{"text":"first\\n${secret}"}`)).toBe('{"text":"first\\n[redacted]"}');
});

test("what a secret is told by stays", () => {
  const token = A(40);
  expect(redactText(NONE, `Authorization: Bearer ${token}`)).toBe("Authorization: Bearer [redacted]");
  expect(redactText(NONE, `-H "Authorization: Basic ${token}="`)).toBe('-H "Authorization: Basic [redacted]"');
  expect(redactText(NONE, `AWS_SECRET_ACCESS_KEY=${token}`)).toBe("AWS_SECRET_ACCESS_KEY=[redacted]");
  expect(redactText(NONE, `{\\"SecretAccessKey\\": \\"${token}\\"}`)).toBe('{\\"SecretAccessKey\\": \\"[redacted]\\"}');
  expect(redactText(NONE, "postgres://anna:s3cret@db:5432/shop")).toBe("postgres://anna:[redacted]@db:5432/shop");
});

test.each([
  "commit 5f2d7c1be0a94f3e8d6c7b5a493827160f1e2d3c",
  "019f3c5e-7d2a-7c3b-9a41-2f6e8d0c1b5a",
  "sha512-Vm9vU2F5cyJIZWxsbyIgdG8gQSBQZXJzb24gaW4gdGhlIENpdHkgb2YgTG9uZG9uIQ==",
  "task-write-the-prices-and-the-totals-of-a-cart",
  "sk-learn-is-not-a-secret-but-a-library-of-python",
  "https://example.com:8080/a/b@2 and user@example.com",
  "the bearer internationalization-of-everything",
  "npm_config_cache=/home/anna/.npm",
  "const token = process.env.API_TOKEN; // a secret of its own",
  "postgres://anna:$PASSWORD@db/shop",
])("%j is no secret", (text) => {
  expect(redactText(NONE, text)).toBe(text);
});

test("values that are known are not written, as they are or inside JSON, unless they are too short to be told from words", () => {
  const secrets = secretsOf(['pass"word\nsecond line', "production", "dev", "x".repeat(3_000)]);
  expect(redactText(secrets, 'a pass"word\nsecond line b')).toBe("a [redacted]\n[redacted] b");
  expect(redactText(secrets, JSON.stringify({ a: 'pass"word\nsecond line' }))).toBe('{"a":"[redacted]\\n[redacted]"}');
  expect(redactText(secrets, "dev is not production")).toBe("dev is not [redacted]");
  expect(redactText(secrets, "x".repeat(3_000))).not.toContain("x");
  expect(redactValue(secrets, { type: "text", text: "in production", n: 1, list: [null, "production"] })).toEqual({
    type: "text",
    text: "in [redacted]",
    n: 1,
    list: [null, "[redacted]"],
  });
});

test("no value is taken for a pattern, and none of it is left", () => {
  fc.assert(
    fc.property(fc.string({ minLength: 8, maxLength: 60, unit: "binary" }), fc.string(), (value, around) => {
      fc.pre(!/[\r\n]/.test(value) && !around.includes(value) && !"[redacted]".includes(value));
      const text = redactText(secretsOf([value]), `${around} ${value} ${around}`);
      expect(text).not.toContain(value);
    }),
  );
});
