package sandbox

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestIndexFindsWhatIsThere makes random changes in a tree and compares the index, which reads only what changed, with one
// that reads everything.
func TestIndexFindsWhatIsThere(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	x := newIndex([]string{top}, nil)
	defer x.Close()
	names := []string{"a", "b", "node_modules", ".env", ".git", "vendor", ".vscode", "AGENTS.md", ".npmrc", ".env.local"}
	r := rand.New(rand.NewPCG(1, 2))
	path := func() string {
		p := top
		for range 1 + r.IntN(5) {
			p = filepath.Join(p, names[r.IntN(len(names))])
		}
		return p
	}
	changes := 2000
	if testing.Short() {
		changes = 300
	}
	for i := range changes {
		one, other := path(), path()
		switch r.IntN(6) {
		case 0, 1:
			_ = os.MkdirAll(one, 0o755)
		case 2:
			_ = os.WriteFile(one, nil, 0o644)
		case 3, 4:
			_ = os.Rename(one, other)
		case 5:
			_ = os.RemoveAll(one)
		}
		if i%5 != 0 {
			continue
		}
		got, kinds := x.update()
		whole := newIndex([]string{top}, nil)
		want, wantKinds := whole.update()
		whole.Close()
		if !slices.Equal(got, want) || !slices.Equal(kinds, wantKinds) {
			t.Fatalf("after change %d: got %q, want %q", i, got, want)
		}
	}
}

// Files of secrets count wherever they lie, however many directories there are.
func TestIndexHasNoLimitOfDepthOrNumber(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	for i := range 1000 {
		if err := os.MkdirAll(filepath.Join(top, fmt.Sprint(i)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	deep := filepath.Join(top, "z", "node_modules", ".hidden", "build", "vendor", "e", "f", "g")
	if err := errors.Join(os.MkdirAll(deep, 0o755), os.WriteFile(filepath.Join(deep, ".env"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	x := newIndex([]string{top}, nil)
	defer x.Close()
	if got, _ := x.update(); !slices.Equal(got, []string{filepath.Join(deep, ".env")}) {
		t.Errorf("got %q", got)
	}
}

// BenchmarkIndex is an update without changes in a tree of 2,000 directories.
func BenchmarkIndex(b *testing.B) {
	top := b.TempDir()
	for i := range 2000 {
		if err := os.MkdirAll(filepath.Join(top, fmt.Sprint(i%40), fmt.Sprint(i)), 0o755); err != nil {
			b.Fatal(err)
		}
	}
	x := newIndex([]string{top}, nil)
	defer x.Close()
	x.update()
	for b.Loop() {
		x.update()
	}
}
