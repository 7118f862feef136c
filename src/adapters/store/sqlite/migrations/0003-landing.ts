/** Landings that the machine refused are put off and tried again; what work will conflict with is known before. */
export const LANDING = `
ALTER TABLE tasks ADD COLUMN environment INTEGER NOT NULL DEFAULT 0;
ALTER TABLE tasks ADD COLUMN rulings TEXT; -- JSON
ALTER TABLE attempts ADD COLUMN foreseen TEXT; -- JSON
ALTER TABLE items ADD COLUMN shared TEXT;
`;
