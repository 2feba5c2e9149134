package memory

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rein/kit/tools/memory"
)

// many makes a store of n entries of 25 words, a third of them with twelve Chinese characters, in twenty projects. "frequent"
// is in 88 % of them, "middling" in 5 %.
func many(b *testing.B, n int) *Store {
	b.Helper()
	s := &Store{File: filepath.Join(b.TempDir(), FileName)}
	b.Cleanup(func() { s.Close() })
	r := rand.New(rand.NewPCG(1, 2))
	han := []rune("使用数据库的搜索功能需要索引文件系统网络安全测试代码")
	began := time.Now().AddDate(-1, 0, 0)
	all := make([]memory.Entry, n)
	for i := range all {
		words := make([]string, 25)
		for w := range words {
			words[w] = fmt.Sprintf("word%d", int(2000*r.ExpFloat64()))
		}
		words[0] = fmt.Sprint("unique", i)
		if r.IntN(100) < 88 {
			words[1] = "frequent"
		}
		if r.IntN(100) < 5 {
			words[2] = "middling"
		}
		if r.IntN(100) < 5 {
			words[3] = "other"
		}
		if i%3 == 0 {
			for range 12 {
				words[4] += string(han[r.IntN(len(han))])
			}
		}
		all[i] = memory.Entry{Scope: memory.User, Text: strings.Join(words, " "), Importance: r.IntN(11), Created: began.Add(time.Duration(i) * time.Minute)}
		if i%2 == 0 {
			all[i].Scope, all[i].Project = memory.Project, fmt.Sprint("/p", i%20)
		}
	}
	if err := s.PutAll(b.Context(), all); err != nil {
		b.Fatal(err)
	}
	return s
}

// Figures are in docs/tools.md.
func BenchmarkFind(b *testing.B) {
	s := many(b, 100_000)
	for _, row := range []struct {
		name string
		q    memory.Query
	}{
		{"rare", memory.Query{Text: "unique4711", All: true}},
		{"middling", memory.Query{Text: "middling"}},
		{"nearly every row", memory.Query{Text: "frequent"}},
		{"nearly every row of a project", memory.Query{Text: "frequent", Project: "/p4"}},
		{"three words", memory.Query{Text: "frequent middling other", Project: "/p4"}},
		{"six words", memory.Query{Text: "frequent middling other word7 word77 word777", Project: "/p4"}},
		{"Chinese", memory.Query{Text: "数据库", Project: "/p4"}},
		{"Chinese sentence", memory.Query{Text: "数据库的搜索功能", Project: "/p4"}},
		{"long Chinese sentence", memory.Query{Text: "使用数据库的搜索功能需要索引文件系统", Project: "/p4"}},
		{"until long ago", memory.Query{Text: "frequent", Project: "/p4", Until: time.Now().AddDate(-1, 0, 5)}},
		{"since", memory.Query{Text: "middling", Project: "/p4", Since: time.Now().AddDate(-1, 0, 60)}},
		{"list", memory.Query{Project: "/p4"}},
	} {
		b.Run(row.name, func(b *testing.B) {
			for b.Loop() {
				if all, _, err := s.Find(b.Context(), row.q); err != nil || len(all) == 0 {
					b.Fatal(len(all), err)
				}
			}
		})
	}
	b.Run("digest", func(b *testing.B) {
		for b.Loop() {
			if d, err := s.Digest(b.Context(), "/p4", defaultDigest); err != nil || d == "" {
				b.Fatal(err)
			}
		}
	})
	b.Run("open and digest", func(b *testing.B) {
		for b.Loop() {
			if d, err := s.Digest(b.Context(), "/p4", defaultDigest); err != nil || d == "" || s.Close() != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("put", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			if _, err := s.Put(b.Context(), memory.Entry{Scope: memory.User, Text: fmt.Sprint("one more ", i)}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
