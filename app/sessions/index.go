package sessions

import (
	"context"
	"database/sql"
	_ "embed" // the schema
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"rein/app/internal/database"
	"rein/journal"
)

// indexName is the name of the index in journal.IndexDir.
const indexName = "index.db"

//go:embed sessions.sql
var schema string

// version is that of the schema and of what is indexed. An index of another version is made again.
const version = 3

// index is the index over the journals below one directory: a list of the sessions, and a search in what was said and done. The
// journals hold the truth: the file may be deleted at any time, it is made again from them, and so is one that is damaged. Nothing
// that a session does waits for it. It may be used by several goroutines and several processes at
// once. Each List and Search reads first what has changed.
type index struct {
	root string
	warn func(string)
	db   *sql.DB
	file string // "": in memory, because the directory cannot be written
}

// openIndex opens or makes the index. Where no file can be written the index is in memory and is made again each time. warn gets
// lines for the user; it may be nil. openIndex reads no journal.
func openIndex(root string, warn func(string)) (*index, error) {
	if warn == nil {
		warn = func(string) {}
	}
	x := &index{root: root, warn: warn}
	if err := os.MkdirAll(journal.ChangedDir(root), 0o700); err == nil {
		x.file = filepath.Join(journal.IndexDir(root), indexName)
	}
	err := x.open()
	if err != nil && x.file != "" {
		err = x.remake(err)
	}
	if err != nil && x.file != "" {
		x.file = ""
		err = x.open()
	}
	if err != nil {
		return nil, fmt.Errorf("index of the sessions: %w", err)
	}
	return x, nil
}

func (x *index) open() error {
	db, err := database.File{Name: x.file, Version: version, Derived: true, Make: makeTables,
		Pragmas: []string{"busy_timeout(300)", "journal_mode(wal)", "synchronous(off)", "temp_store(memory)", "mmap_size(268435456)"}}.Open()
	if err != nil {
		return err
	}
	x.db = db
	return nil
}

// makeTables makes the tables where they are not there yet. Those of another version are not changed: the index is built again.
func makeTables(tx *sql.Tx, have int) error {
	if have != 0 {
		return errOther
	}
	_, err := tx.Exec(schema)
	return err
}

var (
	// errOther means that the index was made by another version of the program.
	errOther = errors.New("the index has another version")
	// errRow means that a row is not what the program wrote.
	errRow = errors.New("a row cannot be read")
)

// remake deletes the index and makes an empty one, where why is a fault of the file. Else it gives why back.
func (x *index) remake(why error) error {
	if !isFileFault(why) {
		return why
	}
	if !errors.Is(why, errOther) && !errors.Is(why, database.ErrNewer) {
		x.warn(fmt.Sprintf("the index of the sessions is damaged and is made again (%v)", why))
	}
	if x.db != nil {
		_ = x.db.Close()
	}
	for _, end := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(x.file + end); err != nil && !errors.Is(err, os.ErrNotExist) {
			return errors.Join(why, err)
		}
	}
	return x.open()
}

// isFileFault reports whether an error comes from the file, and not from a full disk, a busy index or a cancelled request.
func isFileFault(err error) bool {
	if errors.Is(err, errOther) || errors.Is(err, database.ErrNewer) || errors.Is(err, errRow) {
		return true
	}
	fault, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		return false
	}
	switch fault.Code() & 0xff {
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_SCHEMA, sqlite3.SQLITE_MISMATCH, sqlite3.SQLITE_CONSTRAINT:
		return true
	}
	return false
}

// isBusy reports whether another process is writing the index.
func isBusy(err error) bool {
	fault, ok := errors.AsType[*sqlite.Error](err)
	return ok && (fault.Code()&0xff == sqlite3.SQLITE_BUSY || fault.Code()&0xff == sqlite3.SQLITE_LOCKED)
}

// current runs do on an index that has all that the journals have. Where the file is faulty it is made again, once. Where it
// cannot be written now, do sees what it has.
func (x *index) current(ctx context.Context, do func() error) error {
	run := func() error {
		if err := x.sync(ctx); err != nil && !isBusy(err) {
			return err
		}
		return do()
	}
	err := run()
	if err != nil && isFileFault(err) && x.file != "" {
		if err = x.remake(err); err == nil {
			err = run()
		}
	}
	if err != nil && ctx.Err() == nil && x.file != "" { // a full disk: the index is made in memory
		x.warn(fmt.Sprintf("the index of the sessions cannot be used and is made in memory (%v)", err))
		_ = x.db.Close()
		x.file = ""
		if err = x.open(); err == nil {
			err = run()
		}
	}
	if err != nil {
		return fmt.Errorf("index of the sessions: %w", err)
	}
	return nil
}

// Rebuild rebuilds the index from the journals.
func (x *index) Rebuild(ctx context.Context) error {
	return x.current(ctx, func() error {
		_, err := x.db.ExecContext(ctx, "DELETE FROM texts; DELETE FROM sessions; DELETE FROM state;")
		if err == nil {
			err = x.sync(ctx)
		}
		return err
	})
}

// Close closes the index.
func (x *index) Close() error { return x.db.Close() }
