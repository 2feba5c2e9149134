package files

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
)

func lineNumbers(f fileMatches) string {
	var all []string
	for _, m := range f.Matches {
		mark := ""
		if m.Gap {
			mark = "--"
		}
		sign := ":"
		if m.Beside {
			sign = "-"
		}
		all = append(all, fmt.Sprintf("%s%d%s%s", mark, m.Line, sign, m.Text))
	}
	return strings.Join(all, " ")
}

func TestTextFindsLines(t *testing.T) {
	text := "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten"
	rows := []struct {
		rule, pattern string
		options       patternOptions
		want          searchLimits
		found         string
		ended         bool
	}{
		{"a word", "four", patternOptions{}, searchLimits{Max: 9}, "4:four", false},
		{"several lines", "e$", patternOptions{}, searchLimits{Max: 9}, "1:one --3:three --5:five --9:nine", false},
		{"start of a line", "^t", patternOptions{}, searchLimits{Max: 9}, "2:two 3:three --10:ten", false},
		{"either word", "two|ten", patternOptions{}, searchLimits{Max: 9}, "2:two --10:ten", false},
		{"letter case", "FIVE|SIX", patternOptions{Fold: true}, searchLimits{Max: 9}, "5:five 6:six", false},
		{"plain text", "t.n", patternOptions{Fixed: true}, searchLimits{Max: 9}, "", false},
		{"context", "four", patternOptions{}, searchLimits{Max: 9, Before: 2, After: 1}, "2-two 3-three 4:four 5-five", false},
		{"context that meets", "three|five", patternOptions{}, searchLimits{Max: 9, Before: 1, After: 1}, "2-two 3:three 4-four 5:five 6-six", false},
		{"context with a gap", "one|ten", patternOptions{}, searchLimits{Max: 9, Before: 1, After: 1}, "1:one 2-two --9-nine 10:ten", false},
		{"ends at the most, with its context", "e", patternOptions{}, searchLimits{Max: 2, After: 1}, "1:one 2-two 3:three 4-four", true},
		{"no letters to look for", `^\w{5}$`, patternOptions{}, searchLimits{Max: 9}, "3:three --7:seven 8:eight", false},
		{"the last line without a break", "ten", patternOptions{}, searchLimits{Max: 9}, "10:ten", false},
	}
	for _, r := range rows {
		t.Run(r.rule, func(t *testing.T) {
			p, err := compilePattern(r.pattern, r.options)
			if err != nil {
				t.Fatal(err)
			}
			r.want.Line = 100
			for _, ending := range []string{"\n", "\r\n"} {
				body := []byte(strings.ReplaceAll(text, "\n", ending))
				found := p.Text(body, r.want)
				if got := lineNumbers(found); got != r.found || found.Ended != r.ended {
					t.Errorf("ending %q: got %q, ended %v", ending, got, found.Ended)
				}
				for size := 12; size < 60; size += 7 {
					found, err := p.Stream(bytes.NewReader(body), make([]byte, size), r.want)
					got, want := lineNumbers(found), r.found
					if found.Ended { // context behind the last match may be in the next piece
						got, want = strings.TrimSuffix(got, " 4-four"), strings.TrimSuffix(want, " 4-four")
					}
					if got != want || err != nil {
						t.Errorf("ending %q, buffer %d: got %q, %v", ending, size, got, err)
					}
				}
			}
		})
	}
}

func TestLongLinesAreCutAroundTheMatch(t *testing.T) {
	p, err := compilePattern("needle", patternOptions{})
	if err != nil {
		t.Fatal(err)
	}
	line := strings.Repeat("x", 5000) + "needle" + strings.Repeat("y", 5000)
	m := p.Text([]byte(line), searchLimits{Max: 1, Line: 100}).Matches[0]
	if !bytes.Contains(m.Text, []byte("needle")) || len(m.Text) != 100 || m.Cut != int64(len(line)-100) || m.From != 4975 {
		t.Errorf("got %q, cut %d, from %d", m.Text, m.Cut, m.From)
	}
}

func TestCompileErrors(t *testing.T) {
	if _, err := compilePattern(`a\nbc`, patternOptions{}); !errors.Is(err, errLineBreak) {
		t.Errorf("a line break: %v", err)
	}
	if _, err := compilePattern(`a(`, patternOptions{Fold: true}); err == nil || strings.Contains(err.Error(), "?i") {
		t.Errorf("a broken expression: %v", err)
	}
}

func TestNeedles(t *testing.T) {
	rows := map[string]string{
		"foo": "[foo]", "foo.*barbaz": "[barbaz]", "(?i)Foo": "[foo] fold", "foo|bar": "[foo bar]", "foo|b": "[]", "(foo)+x?": "[foo]",
		`\bfunc\s+\w+Handler\(`: "[Handler(]", "a*": "[]", "[fF]oo": "[oo]", "(?:abc){2,}": "[abc]", "(?i)é": "[]", "foo|(?i)BAR": "[foo bar] fold", "x?": "[]", `\d+`: "[]",
	}
	for pattern, want := range rows {
		p, err := compilePattern(pattern, patternOptions{})
		if err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprintf("%s", p.needles.words)
		if p.needles.fold {
			got += " fold"
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", pattern, got, want)
		}
	}
}

// FuzzScan compares with the plain way: every line tried by itself.
func FuzzScan(f *testing.F) {
	for _, p := range []string{"foo", "foo|bar", "(?i)kiss", "^$", `a\b`, "x*", `\Afoo`, "foo$", `[^a]b`, "(?i)foo|BAR", `(?s)a.b`, `ab+c|de`} {
		f.Add(p, "foo\nbar\r\n\nfoobar kiss \u212ai\u017fs\na\nb\nabc\nFOO", false)
	}
	f.Fuzz(func(t *testing.T, pattern, text string, fold bool) {
		if len(pattern) > 50 || len(text) > 2000 {
			return
		}
		p, err := compilePattern(pattern, patternOptions{Fold: fold})
		if err != nil {
			return
		}
		flags := ""
		if fold {
			flags = "i"
		}
		re := regexp.MustCompile("(?" + flags + ":" + pattern + ")")
		var want []string
		lines := strings.SplitAfter(text, "\n")
		if lines[len(lines)-1] == "" {
			lines = lines[:len(lines)-1]
		}
		for i, l := range lines {
			l = strings.TrimSuffix(strings.TrimSuffix(l, "\n"), "\r")
			if re.MatchString(l) {
				want = append(want, fmt.Sprint(i+1))
			}
		}
		var got []string
		for _, m := range p.Text([]byte(text), searchLimits{Max: 1 << 30, Line: 100}).Matches {
			got = append(got, fmt.Sprint(m.Line))
		}
		if strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("%q in %q: got %v, want %v", pattern, text, got, want)
		}
	})
}

func BenchmarkScan(b *testing.B) {
	text := []byte(strings.Repeat("func handle(w http.ResponseWriter, r *http.Request) error { return nil }\n\tif err != nil {\n\t\treturn fmt.Errorf(\"read %s: %w\", name, err)\n\t}\n", 7000))
	for _, pattern := range []string{"zebraCrossing", "(?i)zebracrossing", "zebra|crossing|walk", `func \w+Zebra`, `(?i)errorx`, `[A-Z]\w+\d{3}`} {
		b.Run(pattern, func(b *testing.B) {
			p, err := compilePattern(pattern, patternOptions{})
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				p.Text(text, searchLimits{Max: 100, Line: 400})
			}
		})
	}
}
