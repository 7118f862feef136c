/** What the machine refused is put off; what waits for an answer, and what work will conflict with, is known. */
export const LANDING = `
ALTER TABLE tasks ADD COLUMN environment INTEGER NOT NULL DEFAULT 0;
ALTER TABLE tasks ADD COLUMN rulings TEXT; -- JSON
ALTER TABLE tasks ADD COLUMN publication TEXT; -- JSON
ALTER TABLE attempts ADD COLUMN foreseen TEXT; -- JSON
ALTER TABLE items ADD COLUMN wait TEXT; -- JSON
ALTER TABLE items ADD COLUMN shared TEXT;
`;
