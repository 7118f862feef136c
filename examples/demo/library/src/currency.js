/** The currency that every invoice names, by its three letters; the owner of the shop has not decided yet. */
export const CURRENCY = null;
