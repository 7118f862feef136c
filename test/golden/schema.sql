-- user_version 3

CREATE TABLE answers (
  command TEXT NOT NULL,
  kind TEXT NOT NULL,
  first_seq INTEGER,
  last_seq INTEGER,
  body TEXT, -- JSON: the rejection, or what a load came to
  PRIMARY KEY (command)
) STRICT, WITHOUT ROWID;

CREATE TABLE attempts (
  plan TEXT NOT NULL,
  task TEXT NOT NULL,
  n INTEGER NOT NULL,
  phase TEXT NOT NULL,
  round INTEGER NOT NULL,
  kind TEXT NOT NULL,
  agent TEXT,
  run TEXT,
  state TEXT NOT NULL,
  outcome TEXT,
  token INTEGER NOT NULL,
  process TEXT, -- JSON
  stop TEXT, -- JSON
  timeout_ms INTEGER NOT NULL,
  interrupts INTEGER NOT NULL,
  base TEXT,
  base_tree TEXT,
  error TEXT,
  summary TEXT,
  progress TEXT,
  session TEXT,
  outside TEXT, -- JSON
  usage TEXT, -- JSON
  cost_usd REAL,
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  version INTEGER NOT NULL,
  lease_holder TEXT, -- JSON; the right to act stands beside the attempt that has it
  lease_expires_at INTEGER, model TEXT, failure TEXT, partial INTEGER NOT NULL DEFAULT 0, report TEXT, foreseen TEXT,
  PRIMARY KEY (plan, task, n)
) STRICT, WITHOUT ROWID;

CREATE INDEX attempts_begun_of_runs ON attempts (started_at) WHERE kind = 'run';

CREATE INDEX attempts_held_by_workers ON attempts (plan, lease_expires_at)
  WHERE kind = 'external' AND lease_expires_at IS NOT NULL;

CREATE INDEX attempts_live_of_runs ON attempts (plan) WHERE kind = 'run' AND state <> 'settled';

CREATE TABLE checks (
  plan TEXT NOT NULL,
  task TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  at INTEGER NOT NULL,
  command TEXT NOT NULL,
  kind TEXT NOT NULL,
  outcome TEXT NOT NULL,
  exit_code INTEGER NOT NULL,
  tree TEXT,
  log TEXT NOT NULL,
  tail TEXT NOT NULL,
  ms REAL NOT NULL
) STRICT;

CREATE INDEX checks_by_task ON checks (plan, task);

CREATE INDEX checks_of_guards ON checks (plan, tree, command) WHERE kind = 'guard';

CREATE TABLE configs (
  project TEXT NOT NULL,
  hash TEXT NOT NULL,
  body TEXT NOT NULL, -- JSON
  PRIMARY KEY (project)
) STRICT;

CREATE TABLE counters (
  scope TEXT NOT NULL,
  name TEXT NOT NULL,
  n INTEGER NOT NULL,
  PRIMARY KEY (scope, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE definitions (
  task INTEGER PRIMARY KEY,
  body TEXT NOT NULL, -- JSON: what differs from a definition that says nothing
  next TEXT -- JSON, the same
) STRICT;

CREATE TABLE dependencies (
  task INTEGER NOT NULL,
  depends_on INTEGER NOT NULL,
  PRIMARY KEY (task, depends_on)
) STRICT, WITHOUT ROWID;

CREATE INDEX dependencies_by_dependency ON dependencies (depends_on);

CREATE TABLE engines (
  project TEXT NOT NULL,
  node TEXT NOT NULL,
  boot TEXT NOT NULL,
  pid INTEGER NOT NULL,
  start TEXT NOT NULL,
  plan TEXT,
  PRIMARY KEY (project, node)
) STRICT, WITHOUT ROWID;

CREATE TABLE events (
  seq INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  type TEXT NOT NULL,
  v INTEGER NOT NULL,
  project TEXT NOT NULL,
  plan TEXT,
  task TEXT,
  attempt INTEGER,
  actor TEXT NOT NULL,
  data TEXT NOT NULL -- JSON
) STRICT;

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

CREATE TABLE items (
  project TEXT NOT NULL,
  plan TEXT NOT NULL,
  id TEXT NOT NULL,
  task TEXT,
  kind TEXT NOT NULL,
  text TEXT NOT NULL,
  options TEXT NOT NULL, -- JSON
  default_option TEXT,
  deadline_at INTEGER,
  state TEXT NOT NULL,
  answer TEXT,
  opened_at INTEGER NOT NULL,
  closed_at INTEGER,
  version INTEGER NOT NULL, wait TEXT, shared TEXT,
  PRIMARY KEY (plan, id)
) STRICT;

CREATE INDEX items_open ON items (project, opened_at) WHERE state = 'open';

CREATE INDEX items_open_by_task ON items (plan, task) WHERE state = 'open';

CREATE TABLE landings (
  project TEXT NOT NULL,
  target TEXT NOT NULL,
  plan TEXT NOT NULL,
  task TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  holder TEXT NOT NULL, -- JSON
  token INTEGER NOT NULL,
  tip TEXT,
  candidate TEXT,
  tree TEXT,
  "check" TEXT, -- JSON
  passed TEXT NOT NULL, -- JSON
  begun_at INTEGER NOT NULL,
  version INTEGER NOT NULL,
  PRIMARY KEY (project, target)
) STRICT, WITHOUT ROWID;

CREATE TABLE plans (
  project TEXT NOT NULL,
  id TEXT NOT NULL,
  name TEXT NOT NULL,
  revision INTEGER NOT NULL,
  source_hash TEXT NOT NULL,
  policy TEXT NOT NULL, -- JSON
  items INTEGER NOT NULL,
  version INTEGER NOT NULL,
  PRIMARY KEY (id)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX plans_by_name ON plans (project, name);

CREATE TABLE runs (
  project TEXT NOT NULL,
  plan TEXT NOT NULL,
  id TEXT NOT NULL,
  state TEXT NOT NULL,
  outcome TEXT,
  jobs INTEGER NOT NULL,
  tasks_max INTEGER,
  started INTEGER NOT NULL,
  budget_usd REAL,
  spent_usd REAL NOT NULL,
  started_by TEXT NOT NULL,
  reason TEXT,
  panic INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  version INTEGER NOT NULL,
  PRIMARY KEY (plan, id)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX runs_live ON runs (plan) WHERE state <> 'ended';

CREATE TABLE tasks (
  key INTEGER PRIMARY KEY, -- by which its definition and its dependencies know it: they are many, and its name is long
  plan TEXT NOT NULL,
  id TEXT NOT NULL,
  slug TEXT NOT NULL,
  natural_key TEXT NOT NULL,
  title TEXT NOT NULL,
  origin TEXT NOT NULL,
  revision INTEGER NOT NULL,
  state TEXT NOT NULL,
  phase INTEGER NOT NULL,
  round INTEGER NOT NULL,
  tries INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  conflicts INTEGER NOT NULL,
  lost INTEGER NOT NULL,
  rate_limited INTEGER NOT NULL,
  handoffs INTEGER NOT NULL,
  questions INTEGER NOT NULL,
  unmet INTEGER NOT NULL,
  dead INTEGER NOT NULL,
  priority INTEGER NOT NULL,
  wave INTEGER NOT NULL,
  path INTEGER NOT NULL,
  due_at INTEGER,
  reason TEXT,
  last_error TEXT,
  satisfied INTEGER NOT NULL,
  unverified INTEGER NOT NULL,
  retired INTEGER NOT NULL,
  unlanded INTEGER NOT NULL,
  dirty INTEGER NOT NULL,
  approved INTEGER NOT NULL,
  work_commit TEXT,
  worker TEXT,
  mode TEXT NOT NULL,
  owns INTEGER NOT NULL,
  target TEXT NOT NULL,
  started_at INTEGER,
  finished_at INTEGER,
  landed_target TEXT,
  landed_sha TEXT,
  landed_tree TEXT,
  version INTEGER NOT NULL,
  cascades INTEGER NOT NULL, -- what the definition says of a failed dependency
  rank INTEGER NOT NULL AS (-path), environment INTEGER NOT NULL DEFAULT 0, rulings TEXT, publication TEXT, -- the longest path first, as a column that pages can begin after
  UNIQUE (plan, id)
) STRICT;

CREATE INDEX tasks_active ON tasks (plan, state, started_at)
  WHERE state IN ('in_progress', 'claimed_done');

CREATE UNIQUE INDEX tasks_by_slug ON tasks (plan, slug COLLATE NOCASE);

CREATE INDEX tasks_cascading ON tasks (plan, natural_key)
  WHERE state = 'pending' AND dead > 0 AND cascades = 1;

CREATE INDEX tasks_due ON tasks (plan, due_at)
  WHERE state = 'pending' AND unmet = 0 AND due_at IS NOT NULL;

CREATE INDEX tasks_in_order ON tasks (plan, priority, wave, rank, natural_key, id);

CREATE INDEX tasks_ready ON tasks (plan, priority, wave, rank, natural_key, id)
  WHERE state = 'pending' AND unmet = 0 AND due_at IS NULL;

CREATE INDEX tasks_underway ON tasks (plan)
  WHERE (state IN ('in_progress', 'claimed_done') OR (state = 'pending' AND unlanded = 1)) AND (owns = 1 OR mode = 'in_place');

CREATE TABLE verdicts (
  plan TEXT NOT NULL,
  task TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  at INTEGER NOT NULL,
  "by" TEXT,
  word TEXT NOT NULL,
  comments TEXT NOT NULL,
  "commit" TEXT
) STRICT;

CREATE INDEX verdicts_by_task ON verdicts (plan, task);
