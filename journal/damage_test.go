package journal

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rein/event"
)

// write makes a journal with these lines.
func write(t *testing.T, lines ...string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, FileName), []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestADamagedLineDoesNotBlockTheSession(t *testing.T) {
	for name, bad := range map[string]string{
		"no JSON":        `{"kind":"prompt","te` + "\x00\x00",
		"no object":      `[1,2]`,
		"wrong type":     `{"kind":"prompt","text":5}`,
		"an empty line":  ``,
		"wrong sub-type": `{"kind":"replied","result":"text"}`,
	} {
		t.Run(name, func(t *testing.T) {
			dir := write(t, `{"kind":"prompt","seq":1,"text":"one"}`, bad, `{"kind":"response","seq":3,"text":"three"}`)
			var kinds []string
			for e, err := range Read(filepath.Join(dir, FileName)) {
				if err != nil {
					t.Fatal(err)
				}
				kinds = append(kinds, string(e.Kind))
				if e.Kind == event.Damaged && (!strings.Contains(e.Text, "line 2") || strings.Contains(e.Text, "invalid character") || strings.Contains(e.Text, "Go ")) {
					t.Errorf("the report does not name the line in plain words: %q", e.Text)
				}
			}
			if got := strings.Join(kinds, " "); got != "prompt damaged response" {
				t.Errorf("read %s", got)
			}
			for range 2 { // the second Open keeps no second copy
				f, damage, err := Open(dir)
				if err != nil || len(damage.Lines) != 1 || damage.Lines[0].Number != 2 || !strings.Contains(damage.String(), "line 2") {
					t.Fatalf("opened with %+v, %v", damage, err)
				}
				f.Close()
			}
			kept, err := os.ReadFile(filepath.Join(dir, DamagedName))
			if err != nil || string(kept) != bad+"\n" {
				t.Errorf("kept %q, %v", kept, err)
			}
			f, _, err := Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			next := []event.Event{{Kind: event.Prompted}}
			if err := f.Append(next...); err != nil || next[0].Seq != 4 {
				t.Errorf("the next event has number %d, %v", next[0].Seq, err)
			}
		})
	}
}

func TestANewerFormatIsRefused(t *testing.T) {
	for name, line := range map[string]string{
		"an event that we could read":     `{"kind":"started","seq":1,"format":99}`,
		"an event that we could not read": `{"kind":{"name":"started"},"format":99}`,
	} {
		t.Run(name, func(t *testing.T) {
			dir := write(t, line)
			if _, err := texts(t, dir); !errors.Is(err, ErrNewer) {
				t.Errorf("reading gave %v", err)
			}
			if _, _, err := Open(dir); !errors.Is(err, ErrNewer) {
				t.Errorf("opening gave %v", err)
			}
		})
	}
}

func TestTheFirstEventHasTheFormat(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir)
	for range 2 {
		if err := f.Append(event.Event{Kind: event.Started}, event.Event{Kind: event.Prompted}); err != nil {
			t.Fatal(err)
		}
	}
	var formats, numbers []int
	for e, err := range Read(filepath.Join(dir, FileName)) {
		if err != nil {
			t.Fatal(err)
		}
		formats, numbers = append(formats, e.Format), append(numbers, int(e.Seq))
	}
	for i, n := range numbers {
		if n != i+1 || (formats[i] == event.Format) != (i == 0) {
			t.Errorf("event %d has number %d and format %d", i, n, formats[i])
		}
	}
}
