// Package database opens files of SQLite whose tables have a version, and prepares text for their search by words.
package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	"modernc.org/sqlite" // with the driver
)

// A File is a database in a file that only the user may read. Several processes may use it at once; each has one connection.
type File struct {
	Name    string   // "": in memory, for this process
	Pragmas []string // such as "busy_timeout(5000)"
	Version int      // of the tables; above 0
	Derived bool     // it is made again from other files: no copy is kept of an older version

	// Make brings the tables from another version to Version; have is 0 where there are none. What it did counts only where it
	// gives no error.
	Make func(tx *sql.Tx, have int) error
}

// ErrNewer means that a newer program wrote the file.
var ErrNewer = errors.New("the file was written by a newer program")

// Open opens the database, or makes it.
func (f File) Open() (*sql.DB, error) {
	name := ":memory:"
	if f.Name != "" {
		if err := private(f.Name); err != nil {
			return nil, err
		}
		name = "file:" + (&url.URL{Path: filepath.ToSlash(f.Name)}).EscapedPath() + "?" + url.Values{"_pragma": f.Pragmas, "_txlock": {"immediate"}}.Encode()
	}
	db, err := sql.Open("sqlite", name)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1) // a database in memory belongs to its connection
	if err := f.prepare(db); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// private makes the file, and its directory, where they are not there yet.
func private(name string) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

func (f File) prepare(db *sql.DB) error {
	var have int
	if err := db.QueryRow("PRAGMA user_version").Scan(&have); err != nil || have == f.Version {
		return err
	}
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := tx.QueryRow("PRAGMA user_version").Scan(&have); err != nil || have == f.Version {
		return err // another process was first
	}
	if have > f.Version {
		return fmt.Errorf("%w (version %d, this one knows %d): update the program", ErrNewer, have, f.Version)
	}
	if err := f.keep(have); err != nil {
		return fmt.Errorf("keep a copy of version %d: %w", have, err)
	}
	if err := f.Make(tx, have); err != nil {
		return err
	}
	if _, err := tx.Exec(fmt.Sprintf("PRAGMA user_version = %d", f.Version)); err != nil {
		return err
	}
	return tx.Commit()
}

// Kept is the name of the copy that is kept of an older version, before its tables are changed.
func Kept(name string, version int) string { return fmt.Sprintf("%s.v%d", name, version) }

// keep copies the file as it is. The transaction that will change it has begun, so no other process changes it meanwhile.
func (f File) keep(have int) error {
	if have == 0 || f.Name == "" || f.Derived {
		return nil
	}
	part := Kept(f.Name, have) + ".part"
	if err := os.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) { // of a process that was killed
		return err
	}
	if err := errors.Join(private(part), Copy(context.Background(), f.Name, part)); err != nil {
		return err
	}
	return os.Rename(part, Kept(f.Name, have))
}

// Versions returns the version of the tables that are in the file, 0 where there are none, and the one that Open brings them to. It
// changes nothing.
func (f File) Versions() (have, own int, err error) {
	if _, err := os.Stat(f.Name); errors.Is(err, fs.ErrNotExist) {
		return 0, f.Version, nil
	}
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: filepath.ToSlash(f.Name)}).EscapedPath()+"?mode=ro&_pragma=busy_timeout(1000)")
	if err != nil {
		return 0, f.Version, err
	}
	err = db.QueryRow("PRAGMA user_version").Scan(&have)
	return have, f.Version, errors.Join(err, db.Close())
}

// Copy writes a copy of the database in the file from into the file to, which is not there yet, as it is between two transactions;
// other processes may use it meanwhile.
func Copy(ctx context.Context, from, to string) (err error) {
	address := "file:" + (&url.URL{Path: filepath.ToSlash(from)}).EscapedPath() + "?mode=rw&_pragma=busy_timeout(10000)"
	db, err := sql.Open("sqlite", address)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	return conn.Raw(func(driver any) error {
		b, err := driver.(interface {
			NewBackup(string) (*sqlite.Backup, error)
		}).NewBackup("file:" + (&url.URL{Path: filepath.ToSlash(to)}).EscapedPath())
		if err != nil {
			return err
		}
		_, err = b.Step(-1) // all pages in one transaction
		return errors.Join(err, b.Finish())
	})
}
