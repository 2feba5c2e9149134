// Package memory keeps what is remembered from one session to the next, in a file that only the user may read. The tools of
// kit/tools/memory and the commands rein memory use it.
package memory

import (
	"context"
	"database/sql"
	_ "embed" // the schema
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"

	_ "modernc.org/sqlite" // the driver

	"rein/app/internal/database"
	"rein/kit/tools/memory"
)

// FileName is the name of the store in the state directory.
const FileName = "memory.db"

//go:embed memory.sql
var schema string

//go:embed terms.sql
var terms string

// version is that of the schema.
const version = 2

// defaultMost is how many entries the store takes, where the settings have no other number.
const defaultMost = 200_000

// Store is the store of entries. The zero value with a File works; nothing is opened before it is needed. Several goroutines
// and processes may use one file at once.
type Store struct {
	File string              // the database: FileName in the state directory
	Mask func(string) string // hides secrets: a text that it changes is refused. Nil: no text is
	Most int                 // entries; 0: defaultMost

	mu sync.Mutex
	db *sql.DB
}

// opened returns the database. Without the file it returns nil, unless the file is to be made.
func (s *Store) opened(create bool) (*sql.DB, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.db != nil {
		return s.db, nil
	}
	if _, err := os.Stat(s.File); errors.Is(err, fs.ErrNotExist) && !create {
		return nil, nil
	}
	db, err := open(s.File)
	if err != nil {
		return nil, fmt.Errorf("memory: %w", err)
	}
	s.db = db
	return db, nil
}

// open opens or makes a database. The journal is not a write-ahead log: that needs shared memory, which network file systems
// do not have.
func open(file string) (*sql.DB, error) { return tables(file).Open() }

// Versions returns the version of a file, 0 where there is none, and the one that its first use brings it to.
func Versions(file string) (have, own int, err error) { return tables(file).Versions() }

func tables(file string) database.File {
	return database.File{Name: file, Version: version, Make: makeTables,
		Pragmas: []string{"busy_timeout(5000)", "journal_mode(truncate)", "synchronous(full)", "temp_store(memory)", "cache_size(-8192)"}}
}

// makeTables makes the tables where they are not there yet.
func makeTables(tx *sql.Tx, have int) error {
	before := schema
	if have > 0 { // the index of version 1 did not have pairs of characters
		before = "DROP TABLE terms;"
	}
	if _, err := tx.Exec(before + terms); err != nil || have == 0 {
		return err
	}
	return indexAll(tx)
}

// indexAll rebuilds the index of all entries.
func indexAll(tx *sql.Tx) error {
	for last, more := int64(0), true; more; {
		const piece = 500 // entries in memory at once
		rows, err := tx.Query("SELECT "+columns+" FROM memory WHERE id > ? ORDER BY id LIMIT ?", last, piece)
		if err != nil {
			return err
		}
		var all []memory.Entry
		for rows.Next() {
			e, err := scan(rows)
			if err != nil {
				return errors.Join(err, rows.Close())
			}
			all = append(all, e)
		}
		if err := rows.Err(); err != nil {
			return err
		}
		for _, e := range all {
			if err := indexed(context.Background(), tx, e); err != nil {
				return err
			}
			last = e.ID
		}
		more = len(all) == piece
	}
	return nil
}

// Close closes the store. It is opened again when it is used again.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.db == nil {
		return nil
	}
	err := s.db.Close()
	s.db = nil
	return err
}

// columns are those of an entry, in the order of scan.
const columns = "id, scope, project, category, text, importance, tags, created, expires, source, by, proposed, why"

func scan(row interface{ Scan(...any) error }) (e memory.Entry, err error) {
	var tags string
	var created, expires int64
	err = row.Scan(&e.ID, &e.Scope, &e.Project, &e.Category, &e.Text, &e.Importance, &tags, &created, &expires, &e.Source, &e.By, &e.Proposed, &e.Why)
	e.Tags, e.Created = splitTags(tags), time.UnixMilli(created)
	if expires > 0 {
		e.Expires = time.UnixMilli(expires)
	}
	return e, err
}

// Get returns one entry; ok is false when there is none.
func (s *Store) Get(ctx context.Context, id int64) (e memory.Entry, ok bool, err error) {
	db, err := s.opened(false)
	if db == nil || err != nil {
		return e, false, err
	}
	e, err = scan(db.QueryRowContext(ctx, "SELECT "+columns+" FROM memory WHERE id = ?", id))
	if errors.Is(err, sql.ErrNoRows) {
		return e, false, nil
	}
	return e, err == nil, err
}
