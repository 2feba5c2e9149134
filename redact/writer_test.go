package redact

import (
	"bytes"
	"errors"
	"log/slog"
	"math/rand/v2"
	"strings"
	"testing"
)

// mixture is a text with every kind of secret, close together.
func mixture(f *Filter) string {
	var b strings.Builder
	for i, k := range keys {
		b.WriteString(k.prefix + sample(k.class, k.min, uint64(i)) + " and\n")
	}
	b.WriteString("-----BEGIN PRIVATE KEY-----\n" + strings.Repeat(sample(alnum, 64, 1)+"\n", 20) + "-----END PRIVATE KEY-----\n")
	b.WriteString("Authorization: Bearer " + sample(alnum, 30, 2) + "\npassword = '" + sample(alnum, 30, 3) + "'\n")
	b.WriteString("https://a:" + sample(alnum, 9, 4) + "@h.test/ hunter2hunter2 pass -----BEGIN sk- token: ")
	return b.String()
}

func TestWriterNeverSplitsASecret(t *testing.T) {
	f := New([]Value{{Name: "V", Text: "hunter2hunter2"}})
	text := mixture(f)
	want := f.String(text)
	r := rand.New(rand.NewPCG(1, 2))
	for _, most := range []int{1, 2, 3, 7, 50, 1000} {
		var out bytes.Buffer
		w := f.Writer(&out)
		for rest := text; rest != ""; {
			n := min(len(rest), 1+r.IntN(most))
			if m, err := w.Write([]byte(rest[:n])); m != n || err != nil {
				t.Fatal(m, err)
			}
			rest = rest[n:]
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		if out.String() != want {
			t.Errorf("in writes of up to %d bytes:\n got %q\nwant %q", most, out.String(), want)
		}
	}
}

func TestWriterPassesOrdinaryTextAtOnce(t *testing.T) {
	var out bytes.Buffer
	w := (*Filter)(nil).Writer(&out)
	for _, line := range []string{"ok  \trein/x\t0.1s\n", "$ ", "Continue? [y/n] ", "100%\r"} {
		out.Reset()
		w.Write([]byte(line))
		if out.String() != line {
			t.Errorf("of %q came %q", line, out.String())
		}
	}
	out.Reset()
	w.Write([]byte("Password: "))
	if w.Flush(); out.String() != "Password: " {
		t.Errorf("after a flush: %q", out.String())
	}
}

// A long run that never becomes a secret, byte by byte, must neither be held forever nor cost its square.
func TestWriterHoldsLittle(t *testing.T) {
	for _, start := range []string{"-----BEGIN PRIVATE KEY-----", "eyJ", "token=", "https://", "ya29."} {
		var out bytes.Buffer
		w := (*Filter)(nil).Writer(&out)
		text := start + strings.Repeat("A", 64<<10)
		for i := range len(text) {
			w.Write([]byte{text[i]})
			if len(w.held) > 20<<10 {
				t.Fatalf("%s: %d bytes held", start, len(w.held))
			}
		}
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestWriterReportsErrors(t *testing.T) {
	if _, err := (*Filter)(nil).Writer(failing{}).Write([]byte("hello")); err == nil || err.Error() != "disk full" {
		t.Error(err)
	}
}

// env-06: what an operator's log gets.
func TestEachMasksLines(t *testing.T) {
	var out bytes.Buffer
	log := slog.New(slog.NewJSONHandler(New([]Value{{Name: "KEY", Text: "hunter2hunter2"}}).Each(&out), nil))
	log.Error("request failed", "header", "Authorization: Bearer "+sample(alnum, 30, 1), "url", "https://h.test/?k=hunter2hunter2")
	if got := out.String(); strings.Contains(got, "hunter2") || strings.Contains(got, sample(alnum, 30, 1)) || !strings.Contains(got, "[hidden: KEY]") || !strings.HasSuffix(got, "}\n") {
		t.Errorf("got %q", got)
	}
	if _, err := (*Filter)(nil).Each(failing{}).Write([]byte("x")); err == nil {
		t.Error("no error")
	}
}

// FuzzWriter holds that a text in two parts comes out as in one, and that a known value never comes out.
func FuzzWriter(f *testing.F) {
	const value = "s3cr3t-v@lue"
	filter := New([]Value{{Name: "V", Text: value}})
	f.Add(mixture(filter), 100)
	f.Add("token="+value+sample(alnum, 20, 1), 9)
	f.Add("-----BEGIN PRIVATE KEY-----\nabc", 5)
	f.Fuzz(func(t *testing.T, text string, cut int) {
		text += value + text
		whole := filter.String(text)
		if strings.Contains(whole, value) {
			t.Fatalf("%q lets the value through: %q", text, whole)
		}
		cut = min(max(cut, 0), len(text))
		var out bytes.Buffer
		w := filter.Writer(&out)
		w.Write([]byte(text[:cut]))
		w.Write([]byte(text[cut:]))
		w.Flush()
		if out.String() != whole {
			t.Fatalf("cut at %d:\n got %q\nwant %q", cut, out.String(), whole)
		}
	})
}
