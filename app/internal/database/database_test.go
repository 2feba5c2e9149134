package database

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// TestVersions: tables are made once, brought to a newer version, and left alone by an older program.
func TestVersions(t *testing.T) {
	name := filepath.Join(t.TempDir(), "deep", "a #1.db")
	var made []int
	open := func(version int, fails error) error {
		f := File{Name: name, Pragmas: []string{"busy_timeout(5000)"}, Version: version, Make: func(tx *sql.Tx, have int) error {
			made = append(made, have)
			_, err := tx.Exec("CREATE TABLE IF NOT EXISTS a (b); INSERT INTO a VALUES (1);")
			return errors.Join(err, fails)
		}}
		db, err := f.Open()
		if err != nil {
			return err
		}
		defer db.Close()
		var rows int
		if err := db.QueryRow("SELECT count(*) FROM a").Scan(&rows); err != nil || rows != version {
			t.Errorf("version %d has %d rows, %v", version, rows, err)
		}
		return nil
	}
	broken := errors.New("broken")
	for _, step := range []struct {
		version     int
		fails, want error
	}{{1, broken, broken}, {1, nil, nil}, {1, nil, nil}, {2, broken, broken}, {2, nil, nil}, {1, nil, ErrNewer}} {
		if err := open(step.version, step.fails); !errors.Is(err, step.want) {
			t.Errorf("version %d: %v, want %v", step.version, err, step.want)
		}
	}
	if len(made) != 4 || made[0] != 0 || made[1] != 0 || made[2] != 1 || made[3] != 1 {
		t.Errorf("made from the versions %v", made)
	}
	if have, own, err := (File{Name: name, Version: 3}).Versions(); have != 2 || own != 3 || err != nil {
		t.Errorf("versions %d, %d, %v", have, own, err)
	}
	old, err := (File{Name: Kept(name, 1), Version: 1}).Open() // as it was before version 2
	if err != nil {
		t.Fatal(err)
	}
	defer old.Close()
	var rows int
	if err := old.QueryRow("SELECT count(*) FROM a").Scan(&rows); err != nil || rows != 1 {
		t.Errorf("the copy of version 1 has %d rows, %v", rows, err)
	}
	if info, err := os.Stat(Kept(name, 1)); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	if info, err := os.Stat(name); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
}
