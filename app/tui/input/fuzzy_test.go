package input

import (
	"fmt"
	"testing"
	"time"
)

func TestFind(t *testing.T) {
	l := NewList([]string{"guard/rule.go", "guard/rule_test.go", "guard/rules/x.go", "docs/guard.md", "cmd/rein/main.go", "README.md", "größe.txt"})
	for query, want := range map[string]string{
		"rule": "guard/rule.go", "rt": "guard/rule_test.go", "grule": "guard/rule.go", "readme": "README.md", "main": "cmd/rein/main.go",
		"crm": "cmd/rein/main.go", "guard.md": "docs/guard.md", "röß": "größe.txt", "guard/rules": "guard/rules/x.go",
	} {
		if got := l.Find(query, 3); len(got) == 0 || got[0].Name != want {
			t.Errorf("%s: %v, want %s first", query, got, want)
		}
	}
	if got := l.Find("zzz", 3); len(got) != 0 {
		t.Error(got)
	}
	if got := l.Find("", 3); len(got) != 3 {
		t.Error(got)
	}
}

func names(n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf("services/area%03d/internal/handler_%05d/request_%d_test.go", i%317, i%4001, i)
	}
	return all
}

// 100,000 names are searched fast enough for every key; the bound is far above what it takes.
func TestFindIsFast(t *testing.T) {
	l := NewList(names(100_000))
	begin := time.Now()
	for _, q := range []string{"h", "hr9", "handler99", "request_4711", "zq"} {
		l.Find(q, 10)
	}
	if d := time.Since(begin) / 5; d > 2*time.Second {
		t.Errorf("a search took %v", d)
	}
}

func BenchmarkFind(b *testing.B) {
	l := NewList(names(100_000))
	for _, q := range []string{"h", "hr9", "request_4711"} {
		b.Run(q, func(b *testing.B) {
			for b.Loop() {
				l.Find(q, 10)
			}
		})
	}
}
