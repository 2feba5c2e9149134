package guard

import (
	"context"
	"sync"
	"testing"
)

// ruled is a guard with rules; it counts, which is no rule.
type ruled struct {
	Deny  []string
	Limit map[string]int
	Next  Guard
	Other *int

	mu sync.Mutex
	n  int
}

func (r *ruled) Judge(context.Context, Case) Verdict {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.n++
	return Verdict{}
}

// own says its fingerprint.
type own string

func (own) Judge(context.Context, Case) Verdict { return Verdict{} }
func (o own) Fingerprint() string               { return string(o) }

func allows(context.Context, Case) Verdict { return Verdict{} }
func denies(context.Context, Case) Verdict { return Verdict{Decision: Deny} }

func TestFingerprints(t *testing.T) {
	make := map[string]func() Guard{
		"none":               func() Guard { return nil },
		"no guards":          func() Guard { return All{} },
		"a function":         func() Guard { return Func(allows) },
		"another":            func() Guard { return Func(denies) },
		"a list":             func() Guard { return All{Guards: []Guard{Func(allows)}} },
		"another list":       func() Guard { return All{Guards: []Guard{Func(denies)}} },
		"both":               func() Guard { return All{Guards: []Guard{Func(allows), Func(denies)}} },
		"in another order":   func() Guard { return All{Guards: []Guard{Func(denies), Func(allows)}} },
		"rules":              func() Guard { return &ruled{Deny: []string{"a", "b"}} },
		"other rules":        func() Guard { return &ruled{Deny: []string{"a b"}} },
		"limits":             func() Guard { return &ruled{Limit: map[string]int{"a": 1, "b": 2}} },
		"other limits":       func() Guard { return &ruled{Limit: map[string]int{"a": 2, "b": 1}} },
		"a guard within":     func() Guard { return &ruled{Next: own("a")} },
		"another one within": func() Guard { return &ruled{Next: own("b")} },
		"deep":               func() Guard { return All{Guards: []Guard{All{Guards: []Guard{&ruled{Deny: []string{"a"}}}}}} },
		"deep, other rules":  func() Guard { return All{Guards: []Guard{All{Guards: []Guard{&ruled{Deny: []string{"b"}}}}}} },
	}
	seen := map[string]string{}
	for name, guard := range make {
		first := Fingerprint(guard())
		g := guard()
		if g != nil {
			g.Judge(t.Context(), Case{})
		}
		if again := Fingerprint(g); again != first {
			t.Errorf("%s: the same rules have another fingerprint", name)
		}
		if other, taken := seen[first]; taken {
			t.Errorf("%s has the fingerprint of %s", name, other)
		}
		seen[first] = name
	}
	circle := &ruled{}
	circle.Next = circle
	Fingerprint(circle) // ends
}
