/** SQLite looks at a bare parameter here when it plans a statement, and so would plan it anew at every call. */
export const LIMIT = "LIMIT ? + 0";
export const PAGE_OF = `${LIMIT} OFFSET ? + 0`;
