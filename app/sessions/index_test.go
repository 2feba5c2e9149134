package sessions

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"rein/event"
	"rein/journal"
	"rein/tool"
)

var day = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

// recordIn appends events to the journal of a session.
func recordIn(t testing.TB, root, id string, events ...event.Event) {
	t.Helper()
	f, _, err := journal.Open(filepath.Join(root, id))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.Append(events...), f.Close()); err != nil {
		t.Fatal(err)
	}
}

func started(dir string, at time.Duration) event.Event {
	return event.Event{Kind: event.Started, Time: day.Add(at), Start: &event.Start{Terms: event.Terms{Dir: dir, Model: "m/n"}}}
}

func prompt(text string, at time.Duration) event.Event {
	return event.Event{Kind: event.Prompted, Time: day.Add(at), Text: text}
}

func opened(t testing.TB, root string) *index {
	t.Helper()
	x, err := openIndex(root, func(line string) { t.Log(line) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x
}

func ids(all []Session) (ids []string) {
	for _, s := range all {
		ids = append(ids, s.ID)
	}
	return ids
}

func list(t *testing.T, x *index, f Filter) []string {
	t.Helper()
	all, _, err := x.List(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	return ids(all)
}

func same(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func TestListFollowsTheJournals(t *testing.T) {
	root := t.TempDir()
	recordIn(t, root, "a", started("/w/one", 0), prompt("first", 1))
	recordIn(t, root, "b", started("/w/two", 10), prompt("second", 20))
	x := opened(t, root)
	same(t, "both", list(t, x, Filter{}), "b", "a")
	same(t, "one first", list(t, x, Filter{First: "/w/one"}), "a", "b")
	same(t, "only one", list(t, x, Filter{Dir: "/w/one"}), "a")
	same(t, "the limit", list(t, x, Filter{Limit: 1}), "b")

	recordIn(t, root, "a", prompt("more", 30))
	same(t, "a went on", list(t, x, Filter{}), "a", "b")
	recordIn(t, root, "c", event.Event{Kind: event.Started, Time: day.Add(40), Parent: "a", Start: &event.Start{Terms: event.Terms{Dir: "/w/one"}}})
	same(t, "sub-agents are left out", list(t, x, Filter{}), "a", "b")
	same(t, "with sub-agents", list(t, x, Filter{SubAgents: true}), "c", "a", "b")
	if err := os.RemoveAll(filepath.Join(root, "b")); err != nil {
		t.Fatal(err)
	}
	same(t, "b is gone", list(t, x, Filter{}), "a")
	if hits, err := x.Search(t.Context(), "second", Filter{}); err != nil || len(hits) != 0 {
		t.Errorf("found what is gone: %v, %v", hits, err)
	}
	if left, _ := os.ReadDir(journal.ChangedDir(root)); len(left) != 0 {
		t.Errorf("marks are left: %v", left)
	}
}

// A session that is open keeps its mark, so that what it appends later is found.
func TestAnOpenSessionIsReadAgain(t *testing.T) {
	root := t.TempDir()
	x := opened(t, root)
	f, _, err := journal.Open(filepath.Join(root, "a"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for i := range 3 {
		if err := f.Append(started("/w", 0), prompt(fmt.Sprint("word", i), time.Duration(i))); err != nil {
			t.Fatal(err)
		}
		hits, err := x.Search(t.Context(), fmt.Sprint("word", i), Filter{})
		if err != nil || len(hits) != 1 || hits[0].Session.Messages != i+1 {
			t.Errorf("step %d: %v, %v", i, hits, err)
		}
	}
}

func TestSummary(t *testing.T) {
	root := t.TempDir()
	recordIn(t, root, "a", started("/w", 0), prompt("## fix\x1b[31m the tests\nplease", 1),
		event.Event{Kind: event.Responded, Time: day.Add(2), Text: "ok", Usage: &event.Usage{Input: 5, Output: 2}},
		event.Event{Kind: event.Called, Time: day.Add(3), Call: &tool.Call{ID: "1", Name: "bash", Args: []byte(`{"command":"go vet"}`)}},
		event.Event{Kind: event.Called, Time: day.Add(3), Call: &tool.Call{ID: "1", Name: "bash", Args: []byte(`{"command":"go vet ."}`)}}, // the user changed it
		event.Event{Kind: event.Replied, Time: day.Add(4), Call: &tool.Call{ID: "1"}, Result: &tool.Result{Failed: true, Text: "exit 1"}},
		event.Event{Kind: event.Stopped, Time: day.Add(5), Stop: event.Done})
	s, err := Summary(root, "a")
	if err != nil {
		t.Fatal(err)
	}
	if s.Title != "fix [31m the tests" || s.Messages != 1 || s.Calls != 1 || s.Failed != 1 || s.Usage.Input != 5 || s.Stop != event.Done || !s.Last.Equal(day.Add(5)) {
		t.Errorf("%+v", s)
	}
	if got := TitleOf("fix 👩\u200d👩\u200d👧 and نمی\u200cدانم\u200b"); got != "fix 👩\u200d👩\u200d👧 and نمی\u200cدانم" || checkNote("name", got) != nil || TitleOf("\u200d\nwords") != "words" {
		t.Errorf("joined letters: %q", got)
	}
	if long := TitleOf(strings.Repeat("many words ", 30)); len([]rune(long)) > mostTitle || !strings.HasSuffix(long, "words…") && !strings.HasSuffix(long, "many…") {
		t.Errorf("%q", long)
	}
}

// A session whose turn has ended is not at work because it was opened again, or its mode was changed.
func TestAnEndedTurnStaysEnded(t *testing.T) {
	done := event.Event{Kind: event.Stopped, Stop: event.Done}
	for _, c := range []struct {
		after event.Kind
		want  event.Stop
	}{{event.Started, event.Done}, {event.Changed, event.Done}, {event.Prompted, ""}, {event.Called, ""}, {event.Responded, ""}} {
		root := t.TempDir()
		recordIn(t, root, "a", started("/w", 0), prompt("hello", 1), done, event.Event{Kind: c.after, Call: &tool.Call{ID: "c", Name: "bash"}, Start: &event.Start{Terms: event.Terms{Mode: "read-only"}}})
		if s, err := Summary(root, "a"); err != nil || s.Stop != c.want {
			t.Errorf("after %s: %q, %v; want %q", c.after, s.Stop, err, c.want)
		}
	}
}

func TestSearch(t *testing.T) {
	root := t.TempDir()
	say := func(id, dir, text string, at time.Duration) {
		recordIn(t, root, id, started(dir, at), prompt(text, at))
	}
	say("a", "/w/one", "the Café has a parser for dates", 1)
	say("b", "/w/two", "a date parser, and \"quotes\" in it", 2)
	say("c", "/w/two", "使用数据库的搜索功能", 3)
	recordIn(t, root, "d", started("/w/two", 4), event.Event{Kind: event.Called, Time: day.Add(4), Call: &tool.Call{ID: "1", Name: "bash", Args: []byte(`{"command":"grep -rn needle42 ."}`)}},
		event.Event{Kind: event.Replied, Time: day.Add(4), Call: &tool.Call{ID: "1"}, Result: &tool.Result{Text: "haystack.go:7: the output"}})
	x := opened(t, root)
	for _, row := range []struct {
		rule, query string
		filter      Filter
		want        []string
	}{
		{"a word", "parser", Filter{}, []string{"b", "a"}},
		{"all words, in any order", "dates parser", Filter{}, []string{"a"}},
		{"the last word may be cut", "parser dat", Filter{}, []string{"b", "a"}},
		{"no other word may be", "dat parser", Filter{}, nil},
		{"accents and case do not count", "CAFE", Filter{}, []string{"a"}},
		{"a phrase", `"date parser"`, Filter{}, []string{"b"}},
		{"quotes in a text", "quotes", Filter{}, []string{"b"}},
		{"script without spaces", "数据库", Filter{}, []string{"c"}},
		{"its characters in another order", "据数", Filter{}, nil},
		{"the arguments of a call", "needle42", Filter{}, []string{"d"}},
		{"a result", "haystack.go", Filter{}, []string{"d"}},
		{"the workspace first", "parser", Filter{First: "/w/one"}, []string{"a", "b"}},
		{"only in a workspace", "parser", Filter{Dir: "/w/one"}, []string{"a"}},
		{"the limit", "parser", Filter{Limit: 1}, []string{"b"}},
		{"nothing", "  ", Filter{}, nil},
		{"operators are words", "parser OR NEAR( *", Filter{}, nil},
		{"an odd quote", `"date parser`, Filter{}, []string{"b"}},
		{"only signs", "*** -- ()", Filter{}, nil},
	} {
		t.Run(row.rule, func(t *testing.T) {
			hits, err := x.Search(t.Context(), row.query, row.filter)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, h := range hits {
				got = append(got, h.Session.ID)
				for _, m := range h.Matches {
					if strings.Contains(m.Text, "[]") {
						t.Errorf("a session without tags has some: %q", m.Text)
					}
					for _, at := range m.Hits {
						if at[0] >= at[1] || at[1] > len(m.Text) {
							t.Errorf("%q has no %v", m.Text, at)
						}
					}
				}
			}
			same(t, row.query, got, row.want...)
		})
	}
	hits, err := x.Search(t.Context(), "数据库", Filter{})
	if err != nil || len(hits) != 1 || len(hits[0].Matches) == 0 {
		t.Fatal(hits, err)
	}
	if m := hits[0].Matches[0]; m.Text != "使用数据库的搜索功能" || len(m.Hits) == 0 {
		t.Errorf("%+v", m)
	}
}

func TestNamed(t *testing.T) {
	root := t.TempDir()
	recordIn(t, root, "20260301-090000-abcde", started("/w", 0))
	recordIn(t, root, "20260302-090000-abxyz", started("/w", 1))
	about := filepath.Join(root, "20260301-090000-abcde", AboutName)
	if err := os.WriteFile(about, []byte(`{"name":"release","tags":["x"]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	x := opened(t, root)
	for text, want := range map[string][]string{
		"abc": {"20260301-090000-abcde"}, "ab": {"20260302-090000-abxyz", "20260301-090000-abcde"}, "20260302": {"20260302-090000-abxyz"},
		"rele": {"20260301-090000-abcde"}, "release": {"20260301-090000-abcde"}, "0900": nil, "%": nil, "_": nil, "zzz": nil,
	} {
		found, err := x.Named(t.Context(), text)
		if err != nil {
			t.Fatal(err)
		}
		same(t, text, ids(found), want...)
	}
	same(t, "tag", list(t, x, Filter{Tag: "x"}), "20260301-090000-abcde")
}

// Whatever happens to the file of the index, the list is right.
func TestTheIndexIsMadeAgain(t *testing.T) {
	spoil := func(change func(name string) error) func(*testing.T, string) {
		return func(t *testing.T, name string) {
			for _, end := range []string{"-wal", "-shm"} {
				_ = os.Remove(name + end)
			}
			if err := change(name); err != nil {
				t.Fatal(err)
			}
		}
	}
	for rule, change := range map[string]func(*testing.T, string){
		"deleted":           spoil(os.Remove),
		"empty":             spoil(func(n string) error { return os.Truncate(n, 0) }),
		"cut off":           spoil(func(n string) error { return os.Truncate(n, 5000) }),
		"no index":          spoil(func(n string) error { return os.WriteFile(n, []byte(strings.Repeat("no index ", 9000)), 0o600) }),
		"of a newer format": spoil(func(n string) error { return remodel(n, "PRAGMA user_version = 99") }),
		"without a table":   spoil(func(n string) error { return remodel(n, "DROP TABLE texts") }),
		"bad summary": spoil(func(n string) error {
			return remodel(n, "UPDATE sessions SET summary = 'x'; UPDATE sessions SET offset = 1")
		}),
		"overwritten": spoil(func(n string) error {
			f, err := os.OpenFile(n, os.O_RDWR, 0)
			if err != nil {
				return err
			}
			_, err = f.WriteAt([]byte(strings.Repeat("\xff\x00garbage", 2000)), 4096)
			return errors.Join(err, f.Close())
		}),
		"a directory": spoil(func(n string) error { return errors.Join(os.Remove(n), os.Mkdir(n, 0o700)) }),
	} {
		t.Run(rule, func(t *testing.T) {
			root := t.TempDir()
			recordIn(t, root, "a", started("/w", 0), prompt("word", 1))
			recordIn(t, root, "b", started("/w", 2), prompt("word", 3))
			x := opened(t, root)
			same(t, "before", list(t, x, Filter{}), "b", "a")
			x.Close()
			change(t, filepath.Join(journal.IndexDir(root), indexName))
			x = opened(t, root)
			same(t, "after", list(t, x, Filter{}), "b", "a")
			if hits, err := x.Search(t.Context(), "word", Filter{}); err != nil || len(hits) != 2 {
				t.Errorf("search gives %d hits, %v", len(hits), err)
			}
		})
	}
}

func remodel(name, sql string) error {
	x := &index{file: name, warn: func(string) {}}
	if err := x.open(); err != nil {
		return err
	}
	_, err := x.db.Exec(sql)
	_, check := x.db.Exec("PRAGMA wal_checkpoint(TRUNCATE)")
	return errors.Join(err, check, x.Close())
}

func TestADirectoryThatCannotBeWritten(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may write everywhere")
	}
	root := t.TempDir()
	recordIn(t, root, "a", started("/w", 0), prompt("word", 1))
	if err := os.Chmod(root, 0o500); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(root, 0o700)
	x := opened(t, root)
	same(t, "in memory", list(t, x, Filter{}), "a")
}

func TestManyProcesses(t *testing.T) {
	root := t.TempDir()
	done := make(chan error)
	for i := range 4 {
		go func() {
			x, err := openIndex(root, nil)
			for n := range 20 {
				if err == nil {
					id := fmt.Sprintf("s%d-%d", i, n)
					f, _, oerr := journal.Open(filepath.Join(root, id))
					err = oerr
					if err == nil {
						err = errors.Join(f.Append(started("/w", 0), prompt("word", 1)), f.Close())
					}
				}
				if err == nil {
					_, _, err = x.List(context.Background(), Filter{})
				}
			}
			done <- err
		}()
	}
	for range 4 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	x := opened(t, root)
	if all := list(t, x, Filter{}); len(all) != 80 {
		t.Errorf("%d sessions", len(all))
	}
}
