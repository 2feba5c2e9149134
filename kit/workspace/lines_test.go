package workspace

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
)

func TestReadReturnsTheRequestedLines(t *testing.T) {
	all := LineRange{First: 1, Count: 100, Bytes: 1000, Line: 100}
	with := func(change func(*LineRange)) LineRange {
		a := all
		change(&a)
		return a
	}
	rows := []struct {
		rule, text string
		ask        LineRange
		want       string // lines joined by |, cut bytes as +n
		first      int64
		total      int64
		from, to   int64
	}{
		{"empty file", "", all, "", 1, 0, 0, 0},
		{"one line", "a\n", all, "a", 1, 1, 0, 2},
		{"no break at the end", "a\nb", all, "a|b", 1, 2, 0, 3},
		{"empty lines", "\n\na\n\n", all, "||a|", 1, 4, 0, 5},
		{"CR LF", "a\r\nb\r\n", all, "a|b", 1, 2, 0, 6},
		{"lone CR stays", "a\rb\n", all, "a\rb", 1, 1, 0, 4},
		{"from the middle", "a\nb\nc\nd\n", with(func(a *LineRange) { a.First, a.Count = 2, 2 }), "b|c", 2, 4, 2, 6},
		{"the last", "a\nb\nc", with(func(a *LineRange) { a.First = 3 }), "c", 3, 3, 4, 5},
		{"from the end", "a\nb\nc\n", with(func(a *LineRange) { a.First = -2 }), "b|c", 2, 3, 2, 6},
		{"further from the end than it is long", "a\nb\n", with(func(a *LineRange) { a.First = -9 }), "a|b", 1, 2, 0, 4},
		{"behind the end", "a\nb\n", with(func(a *LineRange) { a.First = 3 }), "", 3, 2, 4, 4},
		{"far behind the end", "a\nb", with(func(a *LineRange) { a.First = 99 }), "", 99, 2, 3, 3},
		{"a long line is cut", "abcdefgh\nx\n", with(func(a *LineRange) { a.Line = 3 }), "abc+5|x", 1, 2, 0, 11},
		{"a budget of bytes ends at a whole line", "aaaa\nbbbb\ncccc\n", with(func(a *LineRange) { a.Bytes = 9 }), "aaaa|bbbb", 1, 3, 0, 10},
		{"a budget below one line still gives it", "aaaa\nb\n", with(func(a *LineRange) { a.Bytes = 1 }), "aaaa", 1, 2, 0, 5},
		{"an open last line beyond the budget waits", "aaaa\nbbbb", with(func(a *LineRange) { a.Bytes = 5 }), "aaaa", 1, 2, 0, 5},
	}
	for _, r := range rows {
		t.Run(r.rule, func(t *testing.T) {
			w, err := ReadLines(context.Background(), strings.NewReader(r.text), int64(len(r.text)), nil, r.ask)
			if err != nil {
				t.Fatal(err)
			}
			if got := joined(w); got != r.want || w.First != r.first || w.Total != r.total || w.From != r.from || w.To != r.to {
				t.Errorf("got %q first %d total %d bytes %d to %d", got, w.First, w.Total, w.From, w.To)
			}
		})
	}
}

func TestLineEndings(t *testing.T) {
	rows := []struct {
		rule, text string
		crlf       bool
	}{
		{"no line", "", false},
		{"one line without a line break", "a", false},
		{"one line with LF", "a\n", false},
		{"one line with CR LF", "a\r\n", true},
		{"CR LF, the last line without a line break", "a\r\nb", true},
		{"both kinds", "a\r\nb\n", false},
		{"a CR at the end of the file is text", "a\r", false},
		{"a cut line with CR LF", "abcdefgh\r\nb\r\n", true},
		{"a cut line with LF", "abcdefgh\nb\r\n", false},
		{"a cut line without a line break", "b\r\nabcdefgh", true},
	}
	for _, r := range rows {
		t.Run(r.rule, func(t *testing.T) {
			w, err := ReadLines(context.Background(), strings.NewReader(r.text), int64(len(r.text)), nil, LineRange{First: 1, Count: 9, Bytes: 99, Line: 4})
			if err != nil {
				t.Fatal(err)
			}
			if w.CRLF != r.crlf {
				t.Errorf("CRLF is %v", w.CRLF)
			}
		})
	}
}

func joined(w LineWindow) string {
	var all []string
	for _, l := range w.Lines {
		text := string(l.Text)
		if l.Cut > 0 {
			text += fmt.Sprintf("+%d", l.Cut)
		}
		all = append(all, text)
	}
	return strings.Join(all, "|")
}

// TestAnyWindowOfALargeFile compares with the plain way, on a file of many blocks, with a kept index.
func TestAnyWindowOfALargeFile(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var text bytes.Buffer
	for text.Len() < 80*block+1234 {
		fmt.Fprintf(&text, "%d%s\n", text.Len(), strings.Repeat("x", random.IntN(300)))
	}
	data := text.Bytes()
	plain := bytes.Split(bytes.TrimSuffix(data, lineBreak), lineBreak)
	var x LineIndex
	for range 200 {
		first := 1 + random.IntN(len(plain))
		for _, index := range []*LineIndex{nil, &x} {
			w, err := ReadLines(context.Background(), bytes.NewReader(data), int64(len(data)), index, LineRange{First: int64(first), Count: 3, Bytes: 1 << 20, Line: 1 << 20})
			if err != nil {
				t.Fatal(err)
			}
			want := plain[first-1 : min(first+2, len(plain))]
			if len(w.Lines) != len(want) || !bytes.Equal(w.Lines[0].Text, want[0]) || !bytes.HasPrefix(data[w.From:], want[0]) {
				t.Fatalf("line %d: got %q", first, joined(w))
			}
		}
	}
}

func TestReadStopsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := ReadLines(ctx, strings.NewReader("a\nb\n"), 4, nil, LineRange{First: 2, Count: 1, Bytes: 10, Line: 10}); err == nil {
		t.Error("no error")
	}
}

func FuzzRead(f *testing.F) {
	f.Add("a\nb\r\n\nc", int64(2), 2, 10, 3)
	f.Add("\r\n\r\n", int64(-1), 1, 0, 1)
	f.Fuzz(func(t *testing.T, text string, first int64, count, most, line int) {
		a := LineRange{First: first, Count: count & 63, Bytes: most & 1023, Line: line & 63}
		w, err := ReadLines(context.Background(), strings.NewReader(text), int64(len(text)), nil, a)
		if err != nil {
			t.Fatal(err)
		}
		if len(w.Lines) > a.Count || w.From > w.To || w.To > int64(len(text)) {
			t.Fatalf("%+v gives %+v", a, w)
		}
		if got := strings.Count(text[w.From:w.To], "\n"); len(w.Lines) != got && !(w.Open && len(w.Lines) == got+1) {
			t.Fatalf("%d lines for %q", len(w.Lines), text[w.From:w.To])
		}
	})
}

// counted counts what is read.
type counted struct {
	*strings.Reader
	bytes atomic.Int64
}

func (c *counted) ReadAt(p []byte, off int64) (int, error) {
	n, err := c.Reader.ReadAt(p, off)
	c.bytes.Add(int64(n))
	return n, err
}

func TestReadCountsOnlyNearbyLines(t *testing.T) {
	const line = "a line of a log that has forty-six bytes in all\n"
	text := strings.Repeat(line, 16<<20/len(line))
	for _, first := range []int64{1, 10_000, 100_000, 300_000} {
		r := &counted{Reader: strings.NewReader(text)}
		if _, err := ReadLines(context.Background(), r, int64(len(text)), &LineIndex{}, LineRange{First: first, Count: 100, Bytes: 1 << 20, Line: 2000}); err != nil {
			t.Fatal(err)
		}
		if must := first * int64(len(line)); r.bytes.Load() > must+must/20+10*block {
			t.Errorf("line %d begins at byte %d, and %d bytes were read", first, must, r.bytes.Load())
		}
	}
	for _, hostile := range []int64{math.MaxInt64, math.MinInt64} {
		w, err := ReadLines(context.Background(), strings.NewReader(text), int64(len(text)), &LineIndex{}, LineRange{First: hostile, Count: 1, Bytes: 1, Line: 1})
		if err != nil || len(w.Lines) > 1 {
			t.Errorf("%d: %v %d", hostile, err, len(w.Lines))
		}
	}
}

func BenchmarkWindowAtLine400000(b *testing.B) {
	var text bytes.Buffer
	for text.Len() < 50<<20 {
		fmt.Fprintf(&text, "2026-11-20T10:00:00Z level=info id=%d message=\"%s\"\n", text.Len(), strings.Repeat("y", 50))
	}
	data := text.Bytes()
	for _, kept := range []bool{false, true} {
		b.Run(fmt.Sprintf("index=%v", kept), func(b *testing.B) {
			x := &LineIndex{}
			for b.Loop() {
				if !kept {
					x = &LineIndex{}
				}
				w, err := ReadLines(context.Background(), bytes.NewReader(data), int64(len(data)), x, LineRange{First: 400000, Count: 200, Bytes: 1 << 20, Line: 2000})
				if err != nil || len(w.Lines) != 200 {
					b.Fatal(err, len(w.Lines))
				}
			}
		})
	}
}
