package places

import (
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"testing"
)

// slowly classifies a path below a workspace by trying each line of the table, one after the other, at each depth.
func slowly(rest string) Class {
	names := split(rest)
	for i := range names {
		for _, p := range workspacePlaces {
			if fits(p, names[i:]) {
				return p.class
			}
		}
	}
	return Workspace
}

func fits(p place, names []string) bool {
	pattern, below := strings.CutSuffix(p.pattern, "/**")
	want := strings.Split(pattern, "/")
	if len(names) < len(want) || below && len(names) == len(want) {
		return false
	}
	for i, w := range want {
		if names[i] == w {
			continue
		}
		if ok, err := path.Match(w, names[i]); !strings.ContainsAny(w, "*?[") || !ok || err != nil {
			return false
		}
	}
	return true
}

// TestClassifyIsTheTable asks about paths that are made of the parts of the table, in both cases, with letters added and taken away,
// and about letters that only become those of the table in lower case.
func TestClassifyIsTheTable(t *testing.T) {
	parts := []string{"src", "main.go", "a.json", "settings", "README.md", "x", "K", "İd_rsa", "\xff.pem", strings.Repeat("n", 300) + ".key", strings.Repeat("k", 63)}
	for _, p := range workspacePlaces {
		for _, name := range strings.Split(p.pattern, "/") {
			for _, in := range []string{"", "a", ".", "K", "-b.", "*", "é"} {
				parts = append(parts, strings.ReplaceAll(name, "*", in))
			}
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	vary := func(name string) string {
		letters := []rune(name)
		switch i := random.IntN(max(len(letters), 1)); random.IntN(8) {
		case 0:
			return strings.ToUpper(name)
		case 1:
			return string(letters[:i]) + strings.ToUpper(string(letters[i:]))
		case 2:
			return name + parts[random.IntN(len(parts))]
		case 3:
			return string(letters[i:])
		case 4:
			return string(letters[:i])
		case 5:
			return strings.ReplaceAll(name, "k", "\u212a") // Kelvin
		}
		return name
	}
	count := 300_000
	if testing.Short() {
		count = 20_000
	}
	plain := 0
	for range count {
		var names []string
		for range 1 + random.IntN(4) {
			if name := strings.ReplaceAll(vary(parts[random.IntN(len(parts))]), "/", ""); name != "" && name != "." && name != ".." {
				names = append(names, name)
			}
		}
		rest := strings.Join(names, "/")
		want := slowly(rest)
		if got := Classify("/w/"+rest, Context{Workspaces: []string{"/w"}}); got != want {
			t.Fatalf("%q is %v; the table says %v", rest, got, want)
		}
		if len(names) == 0 {
			continue
		}
		dir, name := path.Split(rest)
		if !slices.ContainsFunc(split(dir), func(name string) bool { return !Plain(name) }) {
			if plain++; OfName(name) != want {
				t.Fatalf("%q is %v by its name; the table says %v", rest, OfName(name), want)
			}
		}
	}
	if plain < count/10 {
		t.Errorf("%d of %d directories are plain", plain, count)
	}
}

// BenchmarkClassify asks about an ordinary file, as the search for files of secrets does for each.
func BenchmarkClassify(b *testing.B) {
	at := Context{Workspaces: []string{"/home/dev/project"}}
	for b.Loop() {
		if Classify("/home/dev/project/internal/cmd/compile/README_test.go", at) != Workspace {
			b.Fatal("not an ordinary file")
		}
	}
}
