CREATE TABLE jobs (
	id     INTEGER PRIMARY KEY AUTOINCREMENT,
	job    TEXT NOT NULL,
	paused INTEGER NOT NULL DEFAULT 0,
	seen   INTEGER NOT NULL
) STRICT;

-- A run that was due. Who inserts the row runs it: nobody else does.
CREATE TABLE runs (
	job     INTEGER NOT NULL,
	due     INTEGER NOT NULL,
	began   INTEGER NOT NULL,
	ended   INTEGER NOT NULL DEFAULT 0,
	state   TEXT NOT NULL,
	session TEXT NOT NULL DEFAULT '',
	text    TEXT NOT NULL DEFAULT '',
	PRIMARY KEY (job, due)
) STRICT, WITHOUT ROWID;
