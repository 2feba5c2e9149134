package harness

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rein/journal"
)

// TestLastStart has starts at each distance from the end of what is read at once.
func TestLastStart(t *testing.T) {
	start := func(model string) string { return `{"kind":"started","seq":1,"start":{"model":"` + model + `"}}` }
	other := `{"kind":"called","call":{"id":"1","name":"n","args":{"start":{"model":"no"}}}}`
	for name, c := range map[string]struct {
		lines []string
		end   string // without a line break
		want  string
	}{
		"none":          {lines: []string{other}},
		"empty":         {},
		"only":          {lines: []string{start("a")}, want: "a"},
		"the last":      {lines: []string{start("a"), other, start("b"), other, other}, want: "b"},
		"torn":          {lines: []string{start("a"), other}, end: start("b"), want: "a"},
		"damaged":       {lines: []string{start("a"), start("b")[:30] + `"start":`, other}, want: "a"},
		"in its text":   {lines: []string{start("a"), `{"kind":"notice","text":"\"start\":{}"}`}, want: "a"},
		"twice in one":  {lines: []string{start("a"), `{"kind":"called","call":{"args":{"start":1,"x":{"start":2}}}}`}, want: "a"},
		"far away":      {lines: []string{start("a"), `{"kind":"notice","text":"` + strings.Repeat("x", 3*searchedAtOnce) + `"}`}, want: "a"},
		"in a long one": {lines: []string{`{"kind":"started","text":"` + strings.Repeat("x", 2*searchedAtOnce) + `","start":{"model":"a"}}`}, want: "a"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := linesAsJournal(t, append(c.lines, c.end)...)
			file := filepath.Join(dir, journal.FileName)
			text, _ := os.ReadFile(file)
			if err := os.WriteFile(file, text[:len(text)-1], 0o600); err != nil {
				t.Fatal(err)
			}
			if got, err := lastStart(file); err != nil || got.Model != c.want {
				t.Errorf("got %q, %v, want %q", got.Model, err, c.want)
			}
		})
	}
	for shift := range 40 { // across the border of what is read at once
		dir := linesAsJournal(t, start("a"), strings.Repeat("x", searchedAtOnce-20-shift))
		if got, err := lastStart(filepath.Join(dir, journal.FileName)); err != nil || got.Model != "a" {
			t.Errorf("%d: got %q, %v", shift, got.Model, err)
		}
	}
	dir := linesAsJournal(t, start("a"), `{"kind":"started","format":99,"start":{"model":[]}}`)
	if _, err := lastStart(filepath.Join(dir, journal.FileName)); !errors.Is(err, journal.ErrNewer) {
		t.Errorf("a newer format: %v", err)
	}
}

// linesAsJournal writes a journal of lines into a directory.
func linesAsJournal(t *testing.T, lines ...string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, journal.FileName), []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}
