package markdown

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"rein/tui/text"
)

var update = flag.Bool("update", false, "write the golden files")

func shown(lines []text.Line) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(strings.TrimRight(l.String(), " ") + "\n")
	}
	return b.String()
}

func TestLines(t *testing.T) {
	source, err := os.ReadFile("testdata/all.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, width := range []int{40, 80} {
		name := filepath.Join("testdata", map[int]string{40: "all.40", 80: "all.80"}[width])
		lines := New().Lines(string(source), Options{Width: width})
		for _, l := range lines {
			if l.Width() > width {
				t.Errorf("%q is wider than %d", l, width)
			}
		}
		got := shown(lines)
		if *update {
			if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(name)
		if err != nil || got != string(want) {
			t.Errorf("%v\n%s", err, got)
		}
	}
}

// In whatever pieces a text comes, and whenever lines are taken, the lines are those of the whole text.
func TestStreamIsTheSameInPieces(t *testing.T) {
	source, err := os.ReadFile("testdata/all.md")
	if err != nil {
		t.Fatal(err)
	}
	renderer := New()
	o := Options{Width: 60}
	whole := NewStream(renderer, o)
	whole.Write(string(source))
	want := shown(whole.Take(true))
	rapid.Check(t, func(t *rapid.T) {
		s := NewStream(renderer, o)
		var got []text.Line
		rest := string(source)
		for rest != "" {
			n := min(rapid.IntRange(1, 40).Draw(t, "n"), len(rest))
			s.Write(rest[:n])
			rest = rest[n:]
			s.Tail()
			got = append(got, s.Take(false)...)
		}
		got = append(got, s.Take(true)...)
		if shown(got) != want {
			t.Fatalf("got\n%s\nwant\n%s", shown(got), want)
		}
	})
}

// Finished blocks leave while the text grows, so the tail stays short.
func TestStreamTakesFinishedBlocks(t *testing.T) {
	s := NewStream(New(), Options{Width: 40})
	s.Write("One.\n\nTwo")
	if got := shown(s.Take(false)); got != "One.\n" {
		t.Errorf("%q", got)
	}
	if got := shown(s.Tail()); got != "\nTwo\n" {
		t.Errorf("%q", got)
	}
	s.Write("\n```go\nfunc a() {\n  b")
	if got := shown(s.Take(false)); got != "\nTwo\n\n  func a() {\n" {
		t.Errorf("%q", got)
	}
	if got := shown(s.Tail()); got != "    b\n" {
		t.Errorf("%q", got)
	}
	s.Write("()\n}\n```\nAfter.")
	if got := shown(s.Take(true)); got != "    b()\n  }\n\nAfter.\n" {
		t.Errorf("%q", got)
	}
}

func TestLinksShowWhereTheyGo(t *testing.T) {
	got := New().Lines("[docs](https://example.org/a) https://x.org [f](file:///etc/passwd) [j](javascript:x)", Options{Width: 200})
	if want := "docs (example.org) https://x.org f (file:///etc/passwd) j (javascript:x)\n"; shown(got) != want {
		t.Errorf("%q", shown(got))
	}
	var links []string
	for _, s := range got[0] {
		if s.Link != "" {
			links = append(links, s.Link)
		}
	}
	if strings.Join(links, " ") != "https://example.org/a https://x.org" {
		t.Error(links)
	}
}

func FuzzStream(f *testing.F) {
	f.Add("# a\n\n- b\n\n```\nc", 3)
	r := New()
	f.Fuzz(func(t *testing.T, source string, n int) {
		n = max(1, n%50)
		s := NewStream(r, Options{Width: 30})
		for source != "" {
			k := min(n, len(source))
			s.Write(source[:k])
			source = source[k:]
			for _, l := range append(s.Take(false), s.Tail()...) {
				if strings.ContainsAny(l.String(), "\x1b\n\r") {
					t.Errorf("%q", l)
				}
			}
		}
		s.Take(true)
	})
}

func BenchmarkStream(b *testing.B) {
	source, err := os.ReadFile("testdata/all.md")
	if err != nil {
		b.Fatal(err)
	}
	r := New()
	b.SetBytes(int64(len(source)))
	for b.Loop() {
		s := NewStream(r, Options{Width: 100})
		for rest := string(source); rest != ""; {
			n := min(260, len(rest))
			s.Write(rest[:n])
			rest = rest[n:]
			s.Take(false)
			s.Tail()
		}
		s.Take(true)
	}
}
