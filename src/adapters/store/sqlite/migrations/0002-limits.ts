/** Limits hold what every project of the store draws on, and attempts know their model. Nothing had ever made a hold before. */
export const LIMITS = `
DROP TABLE holds;
CREATE TABLE holds (
  project TEXT NOT NULL, -- empty: every project
  key TEXT NOT NULL,
  until INTEGER,
  why TEXT NOT NULL,
  known_from TEXT,
  count INTEGER NOT NULL,
  over INTEGER NOT NULL,
  PRIMARY KEY (project, key)
) STRICT, WITHOUT ROWID;
ALTER TABLE attempts ADD COLUMN model TEXT;
ALTER TABLE attempts ADD COLUMN failure TEXT;
ALTER TABLE attempts ADD COLUMN partial INTEGER NOT NULL DEFAULT 0;
ALTER TABLE attempts ADD COLUMN report TEXT; -- JSON
`;
