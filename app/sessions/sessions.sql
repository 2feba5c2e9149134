-- One row for each session. number grows with the age of the session in the index; offset is how far its journal is read.
CREATE TABLE sessions (
	number  INTEGER PRIMARY KEY,
	id      TEXT NOT NULL UNIQUE,
	dir     TEXT NOT NULL,
	parent  TEXT NOT NULL,
	last    INTEGER NOT NULL,
	offset  INTEGER NOT NULL,
	about   TEXT NOT NULL,
	summary TEXT NOT NULL
) STRICT;
CREATE INDEX sessions_by_dir  ON sessions (dir, last DESC);
CREATE INDEX sessions_by_last ON sessions (last DESC);

-- What was said and done. The rowid is the number of the session << 32 | the number of the event.
CREATE VIRTUAL TABLE texts USING fts5 (body, kind UNINDEXED, tokenize = "unicode61 remove_diacritics 2");

CREATE TABLE state (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
