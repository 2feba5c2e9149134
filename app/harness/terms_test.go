package harness

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"rein/app/settings"
	"rein/event"
	"rein/guard"
	"rein/journal"
	"rein/tool"
)

// A looser mode that the user names for a session that is resumed holds for that run; one that the user chooses while the session runs, and a
// stricter one, hold for the next runs too.
func TestAModeForOneRun(t *testing.T) {
	t.Setenv("REIN_HOME", t.TempDir())
	dir, id := t.TempDir(), ""
	for i, run := range []struct{ named, want, then string }{
		{"supervised", "supervised", ""},
		{"", "supervised", ""},
		{"full", "full", ""},
		{"", "supervised", ""},
		{"full", "full", ""},
		{"auto", "auto", ""}, // looser than what is kept
		{"", "supervised", "full"},
		{"", "full", ""},
		{"plan", "plan", ""},
		{"", "plan", ""},
	} {
		h, err := Open(t.Context(), Options{Dir: dir, Terms: event.Terms{Mode: run.named}})
		if err != nil {
			t.Fatal(err)
		}
		var s *Session
		if n := (NewSession{Model: scripted(t, "turns: ["+strings.Repeat("{text: Hello.}, ", i+1)+"]")}); id == "" {
			s, err = h.Start(t.Context(), n)
		} else {
			s, err = h.Resume(t.Context(), id, n)
		}
		if err != nil {
			t.Fatal(err)
		}
		say(t, s, "hi")
		if id = s.ID(); s.Terms().Mode != run.want {
			t.Errorf("run %d has the mode %s, want %s", i, s.Terms().Mode, run.want)
		}
		if run.then != "" {
			if err := s.SetMode(run.then); err != nil {
				t.Fatal(err)
			}
		}
		if err := h.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// TestTermsAreKept: each field of the terms survives record and resume, whatever the settings say by then, and an option of the user changes
// that field and no other.
func TestTermsAreKept(t *testing.T) {
	t.Setenv("REIN_HOME", t.TempDir())
	dir := t.TempDir()
	file := func(name string) string {
		full := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(full, []byte(`{"mcpServers":{}}`), 0o600); err != nil {
			t.Fatal(err)
		}
		return full
	}
	recorded := event.Terms{Model: "script/a", Mode: "supervised", Dir: dir, AddDirs: []string{t.TempDir()}, Dialect: "none", Effort: "low", Think: true,
		Allow: []string{"bash(ls:*)"}, Ask: []string{"grep"}, Deny: []string{"bash"}, Only: []string{"bash(ls:*)"}, Sandbox: "off", Before: "auto", MaxTurns: 7, Budget: 12345, MaxUSD: 1.5, MaxTime: time.Minute,
		Fallback: []string{"script/b"}, Offer: []string{"-grep"}, StrictMCP: true, Record: true}
	named := event.Terms{Model: "script/c", Mode: "plan", AddDirs: []string{t.TempDir()}, Dialect: "auto", Effort: "high", Think: true,
		Allow: []string{"bash(pwd)"}, Ask: []string{"glob"}, Deny: []string{"read_file"}, Only: []string{"glob"}, Sandbox: "auto", MaxTurns: 8, Budget: 99, MaxUSD: 0.5, MaxTime: time.Hour,
		Fallback: []string{"script/d"}, Offer: []string{"-glob"}, StrictMCP: true, Record: true}

	o := Options{Dir: dir, Terms: recorded, MCPConfig: []string{file("one.json")}}
	first := startCalls(t, o)
	if err := first.SetMode("auto"); err != nil {
		t.Fatal(err)
	}
	if err := first.SetMode("plan"); err != nil { // so that there is a mode to go back to
		t.Fatal(err)
	}
	recorded, id := first.Terms(), first.ID()
	if err := first.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i, f := range reflect.VisibleFields(reflect.TypeFor[event.Terms]()) {
		if f.Name != "Kept" && reflect.ValueOf(recorded).Field(i).IsZero() {
			t.Errorf("this test does not record the field %s: give it a value", f.Name)
		}
	}
	text := `{"model":"script/s","mode":"full","dialect":"auto","effort":"high","maxTurns":99,"budget":99,"fallbackModels":["script/t"],"sandbox":"auto","tools":["glob"],
		"permissions":{"allow":["bash"]},"limits":{"message":{"usd":9,"time":"9h"}}}`
	config := settings.DefaultDirs().Config
	if err := os.MkdirAll(config, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(config, "settings.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}

	if got := resumedTerms(t, id, Options{Dir: dir}); !reflect.DeepEqual(got, recorded) {
		t.Errorf("resumed: got %+v\nwant %+v", got, recorded)
	}
	for i, f := range reflect.VisibleFields(reflect.TypeFor[event.Terms]()) {
		t.Run(f.Name, func(t *testing.T) {
			o, want := Options{Dir: dir}, recorded
			value := reflect.ValueOf(named).Field(i)
			switch f.Name {
			case "Dir", "Before", "Kept": // a session stays in its directory, and the mode before plan mode is nothing that a user names
				return
			case "MCPConfig":
				o.MCPConfig = []string{file("two.json")}
				if got := resumedTerms(t, id, o).MCPConfig; len(got) != 1 || !strings.HasSuffix(got[0], "two.json") {
					t.Errorf("got %v", got)
				}
				return
			}
			reflect.ValueOf(&o.Terms).Elem().Field(i).Set(value)
			reflect.ValueOf(&want).Elem().Field(i).Set(value)
			if value.IsZero() {
				t.Fatal("this test names no other value for the field: give it one")
			}
			if got := resumedTerms(t, id, o); !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v\nwant %+v", got, want)
			}
		})
	}
}

// TestTermsForNewSessions: a program with many sessions, as a server, names model and mode of new ones, and takes no sandbox from an old one.
func TestTermsForNewSessions(t *testing.T) {
	t.Setenv("REIN_HOME", t.TempDir())
	dir := t.TempDir()
	first := startCalls(t, Options{Dir: dir, Terms: event.Terms{Model: "script/a", Mode: "plan", Sandbox: "auto"}})
	id := first.ID()
	if err := first.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	for sandbox, want := range map[string]string{"": "auto", "off": "auto", "auto": "auto", "required": "required"} {
		got := resumedTerms(t, id, Options{Dir: dir, ForNew: true, Terms: event.Terms{Model: "script/b", Mode: "full", Sandbox: sandbox}})
		if got.Model != "script/a" || got.Mode != "plan" || got.Sandbox != want {
			t.Errorf("%q: got model %s, mode %s, sandbox %s, want the recorded ones and %s", sandbox, got.Model, got.Mode, got.Sandbox, want)
		}
	}
	started := startCalls(t, Options{Dir: dir, ForNew: true, Terms: event.Terms{Mode: "full", Sandbox: "off"}}).Terms()
	if started.Mode != "full" || started.Sandbox != "off" {
		t.Errorf("a new session: %+v", started)
	}
}

// TestASessionOfOnlySomeCalls: what the rules say runs without a question, and every other call is denied without one, whoever makes it.
func TestASessionOfOnlySomeCalls(t *testing.T) {
	t.Setenv("REIN_HOME", t.TempDir())
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	asked := 0
	person := funcPerson(func(context.Context, *Request) (guard.Answer, error) {
		asked++
		return guard.Answer{Choice: guard.Approved}, nil
	})
	s := startCalls(t, Options{Dir: dir, Person: person, Terms: event.Terms{Mode: "full", Sandbox: "off", Only: []string{"bash(rm a.txt)", "bash(git status:*)", "glob"}}})
	for _, row := range []struct {
		tool, args string
		runs       bool
	}{
		{"bash", `{"command":"git status --short || true"}`, false},
		{"bash", `{"command":"git status --short"}`, true},
		{"bash", `{"command":"git log"}`, false},
		{"bash", `{"command":"git status; ls"}`, false},
		{"bash", `{"command":"ls"}`, false},
		{"bash", `{"command":"rm b.txt"}`, false},
		{"bash", `{"command":"rm a.txt"}`, true},
		{"glob", `{"pattern":"*"}`, true},
		{"read_file", `{"path":"a.txt"}`, false},
		{"write_file", `{"path":"b.txt","content":"x"}`, false},
	} {
		results, err := s.Call(t.Context(), []tool.Call{{ID: journal.NewID(time.Now()), Name: row.tool, Args: json.RawMessage(row.args)}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		refused := results[0].Failed && (strings.Contains(results[0].Text, "this session may") || strings.Contains(results[0].Text, "There is no tool"))
		if refused == row.runs {
			t.Errorf("%s %s: %+v", row.tool, row.args, results[0])
		}
	}
	if asked > 0 {
		t.Errorf("a person was asked %d times", asked)
	}
}

// resumedTerms are the terms of a recorded session that is continued with options.
func resumedTerms(t *testing.T, id string, o Options) event.Terms {
	t.Helper()
	h, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close(t.Context())
	s, err := h.Fork(t.Context(), id, 0, NewSession{NoModel: true})
	if err != nil {
		t.Fatal(err)
	}
	return s.Terms()
}
