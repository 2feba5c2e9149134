CREATE TABLE memory (
	id         INTEGER PRIMARY KEY AUTOINCREMENT,
	scope      TEXT NOT NULL CHECK (scope IN ('user', 'project')),
	project    TEXT NOT NULL,
	category   TEXT NOT NULL,
	text       TEXT NOT NULL,
	importance INTEGER NOT NULL CHECK (importance BETWEEN 0 AND 10),
	tags       TEXT NOT NULL,
	created    INTEGER NOT NULL,
	expires    INTEGER NOT NULL,
	source     TEXT NOT NULL,
	by         TEXT NOT NULL,
	proposed   INTEGER NOT NULL,
	why        TEXT NOT NULL,
	digest     BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX memory_by_text ON memory (project, digest);
CREATE INDEX memory_by_importance ON memory (project, proposed, importance DESC, created DESC);

CREATE INDEX memory_by_age ON memory (project, proposed, created);
CREATE INDEX memory_by_created ON memory (created);
