package block

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"rein/app/tui/text"
)

var update = flag.Bool("update", false, "write the golden files")

func markdownShown(lines []text.Line) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(strings.TrimRight(l.String(), " ") + "\n")
	}
	return b.String()
}

func TestMarkdownLines(t *testing.T) {
	source, err := os.ReadFile("testdata/all.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, width := range []int{40, 80} {
		name := filepath.Join("testdata", map[int]string{40: "all.40", 80: "all.80"}[width])
		lines := NewMarkdown().Lines(string(source), MarkdownOptions{Width: width})
		for _, l := range lines {
			if l.Width() > width {
				t.Errorf("%q is wider than %d", l, width)
			}
		}
		got := markdownShown(lines)
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
	renderer := NewMarkdown()
	o := MarkdownOptions{Width: 60}
	whole := NewMarkdownStream(renderer, o)
	whole.Write(string(source))
	want := markdownShown(whole.Take(true))
	rapid.Check(t, func(t *rapid.T) {
		s := NewMarkdownStream(renderer, o)
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
		if markdownShown(got) != want {
			t.Fatalf("got\n%s\nwant\n%s", markdownShown(got), want)
		}
	})
}

// Finished blocks leave while the text grows, so the tail stays short.
func TestStreamTakesFinishedBlocks(t *testing.T) {
	s := NewMarkdownStream(NewMarkdown(), MarkdownOptions{Width: 40})
	s.Write("One.\n\nTwo")
	if got := markdownShown(s.Take(false)); got != "One.\n" {
		t.Errorf("%q", got)
	}
	if got := markdownShown(s.Tail()); got != "\nTwo\n" {
		t.Errorf("%q", got)
	}
	s.Write("\n```go\nfunc a() {\n  b")
	if got := markdownShown(s.Take(false)); got != "\nTwo\n\n  func a() {\n" {
		t.Errorf("%q", got)
	}
	if got := markdownShown(s.Tail()); got != "    b\n" {
		t.Errorf("%q", got)
	}
	s.Write("()\n}\n```\nAfter.")
	if got := markdownShown(s.Take(true)); got != "    b()\n  }\n\nAfter.\n" {
		t.Errorf("%q", got)
	}
}

func TestLinksShowWhereTheyGo(t *testing.T) {
	got := NewMarkdown().Lines("[docs](https://example.org/a) https://x.org [f](file:///etc/passwd) [j](javascript:x)", MarkdownOptions{Width: 200})
	if want := "docs (example.org) https://x.org f (file:///etc/passwd) j (javascript:x)\n"; markdownShown(got) != want {
		t.Errorf("%q", markdownShown(got))
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
	r := NewMarkdown()
	f.Fuzz(func(t *testing.T, source string, n int) {
		n = max(1, n%50)
		s := NewMarkdownStream(r, MarkdownOptions{Width: 30})
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
	r := NewMarkdown()
	b.SetBytes(int64(len(source)))
	for b.Loop() {
		s := NewMarkdownStream(r, MarkdownOptions{Width: 100})
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
