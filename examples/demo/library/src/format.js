/** 1250 cents -> "12.50". */
export function formatAmount(_cents) {
  throw new Error("formatAmount is not written yet");
}
