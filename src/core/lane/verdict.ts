/** What a review may say: a typed word, never something searched for in prose (spec, section 3.11). */
export const VERDICT_WORDS = ["approved", "rejected", "rewrite", "product"] as const;
export type VerdictWord = (typeof VERDICT_WORDS)[number];
