package memory

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"rein/kit/tools/memory"
	"rein/tool"
)

func newStore(t testing.TB) *Store {
	t.Helper()
	s := &Store{File: filepath.Join(t.TempDir(), "state", FileName)}
	t.Cleanup(func() { s.Close() })
	return s
}

func put(t testing.TB, s *Store, e memory.Entry) memory.Entry {
	t.Helper()
	if e.Scope == "" {
		e.Scope = memory.User
		if e.Project != "" {
			e.Scope = memory.Project
		}
	}
	e, err := s.Put(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func texts(t testing.TB, s *Store, q memory.Query) (all []string) {
	t.Helper()
	found, _, err := s.Find(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range found {
		all = append(all, e.Text)
	}
	return all
}

func TestNothingIsMadeBeforeTheFirstEntry(t *testing.T) {
	s := newStore(t)
	if d, err := s.Digest(t.Context(), "/p", 4096); d != "" || err != nil {
		t.Errorf("%q, %v", d, err)
	}
	if all := texts(t, s, memory.Query{Text: "x"}); all != nil {
		t.Errorf("found %v", all)
	}
	if _, err := os.Stat(s.File); err == nil {
		t.Error("the file was made")
	}
	put(t, s, memory.Entry{Text: "a"})
	if info, err := os.Stat(s.File); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

func TestFind(t *testing.T) {
	s := newStore(t)
	day := time.Now().AddDate(0, 0, -10)
	for _, e := range []memory.Entry{
		{Text: "the deploy runs from the branch release", Created: day, Importance: 2},
		{Text: "deploying needs the VPN", Created: day.AddDate(0, 0, 5), Tags: []string{"Net Work"}, Importance: 2},
		{Text: "Mei prefers tabs in Go", Category: "preference"},
		{Text: "le Café ferme à midi"},
		{Text: "使用数据库的搜索功能需要索引"},
		{Text: "the other project deploys by hand", Project: "/other"},
		{Text: "here tests run in parallel", Project: "/here"},
		{Text: "gone: deploy", Expires: time.Now().Add(-time.Hour)},
		{Text: "proposed: deploy", Proposed: true},
		{Text: "important: deploy twice", Importance: 10, Created: day},
	} {
		put(t, s, e)
	}
	rows := []struct {
		rule string
		q    memory.Query
		want string
	}{
		{"forms of a word, importance before age", memory.Query{Text: "deploy", Project: "/here"}, "important: deploy twice|deploying needs the VPN|the deploy runs from the branch release"},
		{"more words come first", memory.Query{Text: "deploy branch"}, "the deploy runs from the branch release|important: deploy twice|deploying needs the VPN"},
		{"without accents", memory.Query{Text: "cafe"}, "le Café ferme à midi"},
		{"Chinese, two characters", memory.Query{Text: "索引"}, "使用数据库的搜索功能需要索引"},
		{"Chinese, one character", memory.Query{Text: "库"}, "使用数据库的搜索功能需要索引"},
		{"Chinese, a question without spaces", memory.Query{Text: "数据库怎么搜索"}, "使用数据库的搜索功能需要索引"},
		{"Chinese in another order", memory.Query{Text: "据数"}, ""},
		{"another project is not seen", memory.Query{Text: "hand", Project: "/here"}, ""},
		{"unless all are asked for", memory.Query{Text: "hand", All: true}, "the other project deploys by hand"},
		{"this project", memory.Query{Text: "tests", Project: "/here"}, "here tests run in parallel"},
		{"only the user's", memory.Query{Text: "tests", Project: "/here", Scope: memory.User}, ""},
		{"a category", memory.Query{Text: "go deploy", Category: "preference"}, "Mei prefers tabs in Go"},
		{"a tag", memory.Query{Text: "deploy", Tag: "net-work"}, "deploying needs the VPN"},
		{"since", memory.Query{Text: "deploy", Since: time.Now().AddDate(0, 0, -6)}, "deploying needs the VPN"},
		{"until", memory.Query{Text: "deploy", Until: time.Now().AddDate(0, 0, -6)}, "important: deploy twice|the deploy runs from the branch release"},
		{"what is proposed", memory.Query{Text: "deploy", Proposed: true}, "proposed: deploy"},
		{"the limit", memory.Query{Text: "deploy", Limit: 1}, "important: deploy twice"},
		{"stop words alone", memory.Query{Text: "the in"}, "the deploy runs from the branch release"},
		{"operators are words", memory.Query{Text: `NEAR( scope:u -x "tabs`}, "Mei prefers tabs in Go"},
		{"another scope cannot be named", memory.Query{Text: `hand) OR scope:(` + scopeWord("/other")}, ""},
		{"only signs", memory.Query{Text: `*** ("`}, ""},
	}
	for _, row := range rows {
		t.Run(row.rule, func(t *testing.T) {
			got := strings.Join(texts(t, s, row.q), "|")
			if row.rule == "stop words alone" { // they are searched, for want of better ones
				got, _, _ = strings.Cut(got, "|")
				if got == "" {
					t.Error("found nothing")
				}
				return
			}
			if got != row.want {
				t.Errorf("got %q", got)
			}
		})
	}
}

func TestPutReplaces(t *testing.T) {
	s := newStore(t)
	a := put(t, s, memory.Entry{Text: "Tabs,  not spaces"})
	if b := put(t, s, memory.Entry{Text: "tabs, not spaces", Importance: 9}); b.ID != a.ID {
		t.Errorf("the same text has two ids: %d, %d", a.ID, b.ID)
	}
	if b := put(t, s, memory.Entry{Text: "tabs, not spaces", Proposed: true}); b.Proposed || b.Importance != 9 {
		t.Errorf("a proposal replaced what the user relies on: %+v", b)
	}
	put(t, s, memory.Entry{ID: a.ID, Text: "spaces"})
	if all := texts(t, s, memory.Query{Text: "tabs"}); len(all) != 0 {
		t.Errorf("the old text is found: %v", all)
	}
	other := put(t, s, memory.Entry{Text: "two spaces"})
	if b := put(t, s, memory.Entry{ID: a.ID, Text: "two spaces"}); b.ID != a.ID {
		t.Errorf("got %+v", b)
	}
	if _, ok, _ := s.Get(t.Context(), other.ID); ok {
		t.Error("two entries have the same text")
	}
	if ok, err := s.Delete(t.Context(), a.ID); !ok || err != nil {
		t.Error(ok, err)
	}
	if ok, err := s.Delete(t.Context(), a.ID); ok || err != nil {
		t.Error(ok, err)
	}
}

func TestRefused(t *testing.T) {
	s := newStore(t)
	s.Mask, s.Most = func(text string) string { return strings.ReplaceAll(text, "hunter2", "***") }, 2
	rows := map[string]struct {
		e    memory.Entry
		kind tool.Kind
	}{
		"empty":                {memory.Entry{Text: " \n", Scope: "user"}, tool.BadArguments},
		"too long":             {memory.Entry{Text: strings.Repeat("a", memory.MaxText+1), Scope: "user"}, tool.TooLarge},
		"a secret of settings": {memory.Entry{Text: "the password is hunter2-hunter2", Scope: "user"}, tool.Denied},
		"a secret as a tag":    {memory.Entry{Text: "x", Tags: []string{"hunter2-hunter2"}, Scope: "user"}, tool.Denied},
		"no scope":             {memory.Entry{Text: "x"}, tool.BadArguments},
		"no project":           {memory.Entry{Text: "x", Scope: "project"}, tool.BadArguments},
		"an odd category":      {memory.Entry{Text: "x", Scope: "user", Category: "gossip"}, tool.BadArguments},
		"importance":           {memory.Entry{Text: "x", Scope: "user", Importance: 11}, tool.BadArguments},
	}
	for name, row := range rows {
		if _, err := s.Put(t.Context(), row.e); err == nil || tool.AsError(err).Kind != row.kind {
			t.Errorf("%s: %v", name, err)
		}
	}
	put(t, s, memory.Entry{Text: "one"})
	put(t, s, memory.Entry{Text: "two", Expires: time.Now().Add(-time.Hour)})
	put(t, s, memory.Entry{Text: "three"}) // in the place of two
	if _, err := s.Put(t.Context(), memory.Entry{Text: "four", Scope: "user"}); err == nil || tool.AsError(err).Kind != tool.TooLarge {
		t.Errorf("above the limit: %v", err)
	}
}

func TestDigest(t *testing.T) {
	s := newStore(t)
	for i := range 60 {
		put(t, s, memory.Entry{Text: fmt.Sprint(i, " ", strings.Repeat("word ", 40)), Importance: i % 11, Project: "/here"})
	}
	put(t, s, memory.Entry{Text: "for all projects", Importance: 10})
	put(t, s, memory.Entry{Text: "elsewhere", Importance: 10, Project: "/other"})
	put(t, s, memory.Entry{Text: "injected", Importance: 10, Proposed: true})
	put(t, s, memory.Entry{Text: "gone", Importance: 10, Expires: time.Now().Add(-time.Hour)})
	d, err := s.Digest(t.Context(), "/here", defaultDigest)
	if err != nil || len(d) > defaultDigest || len(d) < defaultDigest*3/4 {
		t.Fatalf("%d bytes, %v", len(d), err)
	}
	for _, absent := range []string{"elsewhere", "injected", "gone", "importance 1,"} {
		if strings.Contains(d, absent) {
			t.Errorf("the digest has %q", absent)
		}
	}
	if !strings.Contains(d, "for all projects") || strings.Index(d, "importance 10") > strings.Index(d, "importance 9") {
		t.Errorf("the digest is %s", d)
	}
	if again, _ := s.Digest(t.Context(), "/here", defaultDigest); again != d {
		t.Error("the digest differs the second time")
	}
}

// TestSeveralAtOnce stores from several stores over one file, as several processes do.
func TestSeveralAtOnce(t *testing.T) {
	first := newStore(t)
	var all sync.WaitGroup
	for n := range 4 {
		all.Go(func() {
			s := &Store{File: first.File}
			defer s.Close()
			for i := range 20 {
				if _, err := s.Put(context.Background(), memory.Entry{Scope: memory.User, Text: fmt.Sprint("entry ", n, " ", i)}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if _, total, err := first.Find(t.Context(), memory.Query{}); total != 80 || err != nil {
		t.Errorf("%d entries, %v", total, err)
	}
}

func TestWordsOf(t *testing.T) {
	rows := map[string]string{
		"What is the name of the database?": "name database",
		"the of":                            "the of",
		"数据库 Go1.26":                        "数据 据库 go1 26",
		"用Go写的":                             "用 go 写的",
		strings.Repeat("a1 ", 3):            "a1",
	}
	for query, want := range rows {
		if got := strings.Join(wordsOf(query), " "); got != want {
			t.Errorf("%q: %q", query, got)
		}
	}
	if n := len(wordsOf(strings.Join(strings.Split(fmt.Sprint(slices.Repeat([]int{1, 2, 3}, 1)), ""), " ") + strings.Repeat("x y z w v u t s r q p o n m l k ", 9))); n > mostWords {
		t.Errorf("%d words", n)
	}
}

// TestAnOlderIndexIsMadeAgain: what an older version stored is found, also by pairs of characters.
func TestAnOlderIndexIsMadeAgain(t *testing.T) {
	s := &Store{File: filepath.Join(t.TempDir(), FileName)}
	const n = 510
	for i := range n { // more than are read at once
		if _, err := s.Put(t.Context(), memory.Entry{Scope: memory.User, Text: fmt.Sprintf("使用数据库的搜索功能 n%d", i), Created: time.Now()}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.db.Exec("DELETE FROM terms; PRAGMA user_version = 1;"); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"数据 n0", "搜索 n509"} {
		if all, _, err := s.Find(t.Context(), memory.Query{Text: text}); err != nil || len(all) == 0 {
			t.Errorf("%s: %v, %v", text, all, err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}
