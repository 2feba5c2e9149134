package harness

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"rein/app/settings"
	"rein/event"
	"rein/model"
)

// TestTitles: with the setting a model writes the title of a new session; where it fails, or is not asked, the title is the first
// line of the first message.
func TestTitles(t *testing.T) {
	const message = "please look at the parser\nit fails"
	for _, row := range []struct {
		rule, set, small string
		want             string
		warns            bool
	}{
		{"a model writes it", `"titles": true, `, "turns: [{text: \"\\\"Failing parser\\x1b[31m.\\\"\\nmore\"}]", "Failing parser [31m", false},
		{"it is not asked", "", "turns: [{text: unused}]", "please look at the parser", false},
		{"it writes nothing", `"titles": true, `, "turns: [{text: \" \"}]", "please look at the parser", false},
		{"it cannot be opened", `"titles": true, `, "", "please look at the parser", true},
	} {
		t.Run(row.rule, func(t *testing.T) {
			t.Setenv("REIN_HOME", t.TempDir())
			d, dir := settings.DefaultDirs(), t.TempDir()
			write := func(name, text string) string {
				t.Helper()
				name = filepath.Join(d.Config, name)
				if err := os.MkdirAll(d.Config, 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				return name
			}
			own, small := write("own.yaml", "turns: [{text: Done.}, {text: Again.}]"), filepath.Join(d.Config, "none.yaml")
			if row.small != "" {
				small = write("small.yaml", row.small)
			}
			write("settings.json", `{`+row.set+`"smallModel": "script/`+small+`"}`)
			var mu sync.Mutex
			var warned []string
			h, err := Open(t.Context(), Options{Dir: dir, Terms: event.Terms{Sandbox: "off", Model: "script/" + own}, Warn: func(text string) {
				mu.Lock()
				defer mu.Unlock()
				warned = append(warned, text)
			}})
			if err != nil {
				t.Fatal(err)
			}
			paid := 0
			s, err := h.Start(t.Context(), NewSession{Recorded: func(e event.Event) {
				mu.Lock()
				defer mu.Unlock()
				if e.Kind == event.Audit && strings.Contains(e.Text, "title") {
					paid++
				}
			}})
			if err != nil {
				t.Fatal(err)
			}
			for _, text := range []string{message, "and again"} {
				for _, err := range s.Send(t.Context(), model.Text(text)) {
					if err != nil {
						t.Fatal(err)
					}
				}
			}
			if err := s.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			got, err := h.Store().Get(s.ID())
			if err != nil || got.Title != row.want {
				t.Errorf("the title is %q, %v, want %q", got.Title, err, row.want)
			}
			mu.Lock()
			defer mu.Unlock()
			if (len(warned) > 0) != row.warns || paid > 1 {
				t.Errorf("warned %q, paid %d times", warned, paid)
			}
			if err := h.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
		})
	}
}
