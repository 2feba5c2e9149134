package main

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rein/app/extend"
	"rein/app/memory"
	"rein/app/schedule"
	"rein/app/sessions"
	"rein/app/settings"
	"rein/journal"
	"rein/kit/undo"
)

// homeOf restores the archive of a version as the home of rein. Its workspace was madeIn.
func homeOf(t *testing.T, archive string) settings.Dirs {
	t.Helper()
	t.Setenv("REIN_HOME", t.TempDir())
	if _, err := sessions.Restore(t.Context(), archive, backupParts(), false); err != nil {
		t.Fatal(err)
	}
	return settings.DefaultDirs()
}

const madeIn = "/tmp/rein-home/site"

// TestEveryHomeIsRead opens what belongs to a workspace in the home of each version; script/backup.txtar has the rest.
func TestEveryHomeIsRead(t *testing.T) {
	all, err := filepath.Glob("testdata/homes/*.tar.zst")
	if err != nil || len(all) == 0 {
		t.Fatal(all, err)
	}
	for _, archive := range all {
		t.Run(filepath.Base(archive), func(t *testing.T) {
			d := homeOf(t, archive)
			if !extend.OpenFolder(d.TrustFile(madeIn), madeIn, false).Trusted(extend.TrustInstructions, "AGENTS.md", []byte("Sentences are short.\n")) {
				t.Error("what was trusted is not")
			}
			s, err := undo.Open(filepath.Join(d.State, "undo", settings.WorkspaceName(madeIn)), undo.Options{Roots: []string{madeIn}})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			steps, err := s.Steps(t.Context(), undo.Filter{})
			if err != nil || len(steps) != 1 || steps[0].Call.Tool != "write_file" {
				t.Errorf("%+v, %v", steps, err)
			}
		})
	}
}

// setVersion writes the version of a database.
func setVersion(t *testing.T, file string, version int) {
	t.Helper()
	db, err := sql.Open("sqlite", file)
	if err == nil {
		_, err = db.Exec(fmt.Sprintf("PRAGMA user_version = %d", version))
		err = errors.Join(err, db.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestMigrationsAreToldAndKept: the doctor names a file of an older program before it changes, and a copy of it stays.
func TestMigrationsAreToldAndKept(t *testing.T) {
	d := homeOf(t, "testdata/homes/v0.tar.zst")
	file := filepath.Join(d.State, memory.FileName)
	if all := migrationFindings(d); len(all) != 1 || all[0].What != "none" {
		t.Errorf("%+v", all)
	}
	setVersion(t, file, 1)
	all := migrationFindings(d)
	if len(all) != 1 || !all[0].OK || !strings.Contains(all[0].Detail, "from version 1 to 2") {
		t.Errorf("%+v", all)
	}
	if _, err := os.Stat(file + ".v1"); err == nil {
		t.Error("the doctor changed something")
	}
	m := &memory.Store{File: file}
	defer m.Close()
	if _, err := m.Every(t.Context(), "", true); err != nil {
		t.Fatal(err)
	}
	if have, _, err := memory.Versions(file + ".v1"); have != 1 || err != nil {
		t.Errorf("the copy has version %d, %v", have, err)
	}
	if all := migrationFindings(d); len(all) != 1 || all[0].What != "none" {
		t.Errorf("after its use: %+v", all)
	}
	setVersion(t, filepath.Join(d.State, schedule.DirName, "jobs.db"), 99)
	if all := migrationFindings(d); len(all) != 1 || all[0].OK || !strings.Contains(all[0].Detail, "update rein") {
		t.Errorf("%+v", all)
	}
}

// TestNewerFilesAreRefused: what a newer program wrote stays as it is, and the message says that the program is too old.
func TestNewerFilesAreRefused(t *testing.T) {
	d := homeOf(t, "testdata/homes/v0.tar.zst")
	setVersion(t, filepath.Join(d.State, memory.FileName), 99)
	setVersion(t, filepath.Join(d.State, schedule.DirName, "jobs.db"), 99)
	name := filepath.Join(d.Sessions, "first", journal.FileName)
	text, err := os.ReadFile(name)
	if err == nil {
		err = os.WriteFile(name, []byte(strings.Replace(string(text), `"format":2`, `"format":99`, 1)), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	m := &memory.Store{File: filepath.Join(d.State, memory.FileName)}
	defer m.Close()
	_, memoryErr := m.Every(t.Context(), "", true)
	_, scheduleErr := schedule.Open(filepath.Join(d.State, schedule.DirName))
	_, _, journalErr := journal.Open(filepath.Dir(name))
	for what, err := range map[string]error{"memory": memoryErr, "schedule": scheduleErr, "journal": journalErr} {
		if err == nil || !strings.Contains(err.Error(), "newer") || !strings.Contains(err.Error(), "update the program") {
			t.Errorf("%s: %v", what, err)
		}
	}
}
