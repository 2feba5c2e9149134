package tool

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"rein/redact"
)

func TestShortOutputIsWhole(t *testing.T) {
	w := OutputWriter{Limit: 10}
	fmt.Fprint(&w, "12345")
	fmt.Fprint(&w, "67890")
	if k := w.Close(); k.Cut() || k.Text != "1234567890" || k.Total != 10 {
		t.Errorf("got %+v", k)
	}
}

func TestLongOutputKeepsHeadAndTailOnWholeLines(t *testing.T) {
	for _, size := range []int{1, 3, 7, 64, 1000, 5000} {
		t.Run(fmt.Sprintf("written %d bytes at a time", size), func(t *testing.T) {
			var all bytes.Buffer
			for i := range 1000 {
				fmt.Fprintf(&all, "line %d\n", i)
			}
			store := &OutputStore{Dir: t.TempDir(), Prefix: "s"}
			w := OutputWriter{Limit: 200, Spill: store}
			for p := all.Bytes(); len(p) > 0; {
				n := min(size, len(p))
				w.Write(p[:n])
				p = p[n:]
			}
			k := w.Close()
			if !strings.HasPrefix(k.Text, "line 0\nline 1\n") || !strings.HasSuffix(k.Text, "\nline 998\nline 999\n") {
				t.Errorf("head or tail missing: %q", k.Text)
			}
			if got := int64(strings.Count(k.Text, "\n")) - 1 + k.CutLines; got != 1000 {
				t.Errorf("kept and cut lines are %d, want 1000", got)
			}
			if !strings.Contains(k.Text, fmt.Sprintf("%d lines, ", k.CutLines)) || !strings.Contains(k.Text, k.Ref) {
				t.Errorf("the notice does not say what is missing: %q", k.Text)
			}
			f, err := store.Open(k.Ref)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if whole, _ := io.ReadAll(f); !bytes.Equal(whole, all.Bytes()) {
				t.Error("the spilled output is not the whole")
			}
		})
	}
}

func TestCutsBetweenRunes(t *testing.T) {
	for _, text := range []string{strings.Repeat("é", 300), strings.Repeat("日本", 300), strings.Repeat("😀", 300), "\xff" + strings.Repeat("é", 300)} {
		for limit := 40; limit < 48; limit++ {
			w := OutputWriter{Limit: limit}
			io.WriteString(&w, text)
			k := w.Close()
			if !utf8.ValidString(k.Text) {
				t.Errorf("limit %d: invalid UTF-8: %q", limit, k.Text)
			}
			if want := strings.Count(text, "\xff"); strings.Count(k.Text, "\uFFFD") != want {
				t.Errorf("limit %d: a rune was cut in two: %q", limit, k.Text)
			}
		}
	}
}

func TestWhatIsNoTextBecomesOneSignARun(t *testing.T) {
	for written, want := range map[string]string{
		"a\x00b":                       "a\uFFFDb",
		"a\x00\x00\xff\x00b\x00":       "a\uFFFDb\uFFFD",
		strings.Repeat("\x00", 30<<10): "\uFFFD",
	} {
		var w OutputWriter
		w.Write([]byte(written))
		if k := w.Close(); k.Text != want {
			t.Errorf("%.20q: got %.40q", written, k.Text)
		}
	}
}

func TestQuotaRemovesTheOldestFirst(t *testing.T) {
	dir := t.TempDir()
	store := &OutputStore{Dir: dir, Prefix: "s", Quota: 3 * reserveStep}
	var refs []string
	for range 4 {
		w := OutputWriter{Limit: 100, Spill: store}
		w.Write(make([]byte, reserveStep-1))
		refs = append(refs, w.Close().Ref)
	}
	for i, ref := range refs {
		f, err := store.Open(ref)
		if err == nil {
			f.Close()
		}
		if gone := err != nil; gone != (i == 0) {
			t.Errorf("output %d gone: %v", i, gone)
		}
	}
}

func TestOneOutputLargerThanTheQuotaKeepsItsFirstPart(t *testing.T) {
	store := &OutputStore{Dir: t.TempDir(), Prefix: "s", Quota: 2 * reserveStep}
	w := OutputWriter{Limit: 100, Spill: store}
	piece := bytes.Repeat([]byte("x\n"), 1<<19)
	for range 64 {
		w.Write(piece)
	}
	k := w.Close()
	if !strings.Contains(k.Text, "first part only") || !strings.Contains(k.Text, errQuota.Error()) {
		t.Errorf("the notice does not say so: %q", k.Text)
	}
	info, err := os.Stat(filepath.Join(store.Dir, "s-1.txt"))
	if err != nil || info.Size() > store.Quota {
		t.Errorf("spilled %v, %v", info, err)
	}
}

func TestSpillThatCannotBeWrittenIsTold(t *testing.T) {
	blocked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	w := OutputWriter{Limit: 20, Spill: &OutputStore{Dir: filepath.Join(blocked, "out"), Prefix: "s"}}
	io.WriteString(&w, strings.Repeat("line\n", 100))
	if k := w.Close(); k.Ref != "" || !strings.Contains(k.Text, "could not be kept") {
		t.Errorf("got %+v", k)
	}
}

func TestOpenTakesOnlyItsOwnReferences(t *testing.T) {
	store := &OutputStore{Dir: t.TempDir(), Prefix: "s"}
	for _, prefix := range []string{"other", "s-x"} { // outputs of others, which are there
		w := OutputWriter{Limit: 4, Spill: &OutputStore{Dir: store.Dir, Prefix: prefix}}
		io.WriteString(&w, "of another session")
		if w.Close().Ref != "output://"+prefix+"-1" {
			t.Fatal("nothing was kept")
		}
	}
	for _, ref := range []string{"", "output://", "output://../../etc/passwd", "output://a/b", "/etc/passwd", "output://s-1\n", "output://s-1", "output://other-1", "output://s-x-1"} {
		if f, err := store.Open(ref); err == nil {
			f.Close()
			t.Errorf("opened %q", ref)
		}
	}
}

// TestWhatIsStoredIsMasked: also a secret that comes in two writes.
func TestWhatIsStoredIsMasked(t *testing.T) {
	store := &OutputStore{Dir: t.TempDir(), Prefix: "s"}
	r := NewReply(ReplyOptions{Limit: 100, Spill: store, Mask: redact.New([]redact.Value{{Name: "KEY", Text: "c4nary-of-the-test"}})})
	for range 100 {
		io.WriteString(r, "before c4nary-of-")
		io.WriteString(r, "the-test after\n")
	}
	_, cut, _, _ := r.Close()
	f, err := store.Open(cut.Ref)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	if want := strings.Repeat("before [hidden: KEY] after\n", 100); err != nil || string(text) != want {
		t.Errorf("stored %q, %v", text, err)
	}
}

func TestSizeForPeople(t *testing.T) {
	for n, want := range map[int64]string{0: "0 B", 999: "999 B", 1000: "1.0 KB", 999_949: "999.9 KB", 999_950: "1.0 MB", 1e10: "10.0 GB"} {
		if got := SizeText(n); got != want {
			t.Errorf("Size(%d) = %q, want %q", n, got, want)
		}
	}
}

func BenchmarkWrite(b *testing.B) {
	piece := bytes.Repeat([]byte("a line of forty characters, more or less\n"), 800)
	b.SetBytes(int64(len(piece)))
	w := OutputWriter{}
	for b.Loop() {
		w.Write(piece)
	}
}

func TestSecretsThatACutDividesAreHidden(t *testing.T) {
	hide := redact.New([]redact.Value{{Text: "s3cr3t-value", Declared: true}})
	for shift := range 40 {
		w := OutputWriter{Limit: 64, Mask: hide}
		fmt.Fprint(&w, strings.Repeat("x", shift), strings.Repeat("s3cr3t-value", 40), strings.Repeat("y", shift))
		if k := w.Close(); strings.Contains(k.Text, "3cr3") || !k.Cut() {
			t.Errorf("shift %d: %q", shift, k.Text)
		}
	}
}
