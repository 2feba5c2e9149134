package journal

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rein/event"
)

// Each directory in testdata has a session as a program of that format wrote it. They must be read forever: a new format
// adds a directory, and the old ones do not change.
func TestEveryFormatIsRead(t *testing.T) {
	for dir, want := range map[string]string{
		"format-1": "started prompt request response called audit granted files_modified replied request response stopped started prompt request response stopped",
		"format-2": "started prompt request response called audit granted files_modified replied request response stopped started prompt request response stopped rewound prompt forked",
	} {
		t.Run(dir, func(t *testing.T) {
			from := filepath.Join("testdata", dir)
			if r, err := Check(from, false); err != nil || len(r.Problems) > 0 {
				t.Fatalf("%+v, %v", r, err)
			}
			var kinds []string
			for e, err := range Read(filepath.Join(from, FileName)) {
				if err != nil {
					t.Fatal(err)
				}
				if kinds = append(kinds, string(e.Kind)); e.Kind == event.Prompted && (e.Text == "" || len(e.Message) == 0) {
					t.Errorf("a message is empty: %+v", e)
				}
			}
			if got := strings.Join(kinds, " "); got != want {
				t.Errorf("read %s", got)
			}
			copied := filepath.Join(t.TempDir(), "s")
			if err := os.CopyFS(copied, os.DirFS(from)); err != nil {
				t.Fatal(err)
			}
			f := open(t, copied)
			next := []event.Event{{Kind: event.Prompted, Text: "more"}}
			if err := f.Append(next...); err != nil || next[0].Seq != int64(len(kinds)+1) {
				t.Errorf("the next event has number %d, %v", next[0].Seq, err)
			}
		})
	}
}
