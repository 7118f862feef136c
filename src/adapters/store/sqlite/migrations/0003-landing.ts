/** Landings that the machine refused are put off and tried again. An agent at work waits for an answer. */
export const LANDING = `
ALTER TABLE tasks ADD COLUMN environment INTEGER NOT NULL DEFAULT 0;
ALTER TABLE tasks ADD COLUMN rulings TEXT; -- JSON
ALTER TABLE tasks ADD COLUMN publication TEXT; -- JSON
ALTER TABLE items ADD COLUMN wait TEXT; -- JSON
`;
