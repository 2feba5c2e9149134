package journal_test

import (
	"path/filepath"
	"testing"

	"rein/event"
	"rein/journal"
	"rein/journal/journaltest"
)

func TestConformance(t *testing.T) {
	journaltest.Run(t, func(t *testing.T) journaltest.Opened {
		dir := t.TempDir()
		f, _, err := journal.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return journaltest.Opened{Journal: f, Read: func() (all []event.Event, err error) {
			for e, err := range journal.Read(filepath.Join(dir, journal.FileName)) {
				if err != nil {
					return all, err
				}
				all = append(all, e)
			}
			return all, nil
		}}
	})
}
