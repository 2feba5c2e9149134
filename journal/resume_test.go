package journal

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rein/event"
)

// past returns the kinds of the events that a journal has, and the error.
func past(f *File) (kinds []string, err error) {
	for e, err := range f.Past() {
		if err != nil {
			return kinds, err
		}
		kinds = append(kinds, string(e.Kind))
	}
	return kinds, nil
}

// TestOneReadFindsWhatOpenFinds compares the two ways to open a journal, cut off in many places and damaged.
func TestOneReadFindsWhatOpenFinds(t *testing.T) {
	good := []string{`{"kind":"started","time":"2026-01-02T03:04:05Z","seq":1,"format":2,"start":{"model":"m"}}`, `{"kind":"prompt","seq":2,"text":"a"}`, `{"kind":"response","seq":3,"text":"b"}`}
	for name, lines := range map[string][]string{
		"good":             good,
		"empty":            nil,
		"damaged":          {good[0], `{"kind":"prompt","te`, "", `[]`, good[2]},
		"damaged first":    {"\x00\x00", good[1]},
		"damaged last":     {good[0], good[1], `{"kind":`},
		"newer":            {good[0], strings.Replace(good[2], `"seq":3`, `"seq":3,"format":99`, 1)},
		"newer, unknown":   {good[0], `{"kind":"new","format":99,"text":{}}`},
		"without a number": {`{"kind":"prompt"}`, `{"kind":"prompt"}`},
	} {
		t.Run(name, func(t *testing.T) {
			whole := strings.Join(lines, "\n") + "\n"
			for end := len(whole); end >= 0; end -= 1 + end/6 {
				a, b := write(t), write(t)
				for _, dir := range []string{a, b} {
					if err := os.WriteFile(filepath.Join(dir, FileName), []byte(whole[:end]), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				one, _, oneErr := Open(a)
				two, err := Resume(b)
				if err != nil {
					t.Fatal(err)
				}
				_, twoErr := past(two)
				if strings.TrimPrefix(fmt.Sprint(oneErr), "journal: ") != fmt.Sprint(twoErr) {
					t.Fatalf("%q: Open fails with %v, Past with %v", whole[:end], oneErr, twoErr)
				}
				for _, f := range []*File{one, two} {
					if oneErr == nil {
						if err := f.Append(event.Event{Kind: event.Notice, Text: "more"}); err != nil {
							t.Fatal(err)
						}
					}
					if f != nil {
						f.Close()
					}
				}
				for _, file := range []string{FileName, DamagedName} {
					want, _ := os.ReadFile(filepath.Join(a, file))
					got, _ := os.ReadFile(filepath.Join(b, file))
					if diff := cmp.Diff(string(want), string(got)); diff != "" {
						t.Fatalf("%q: %s differs: %s", whole[:end], file, diff)
					}
				}
			}
		})
	}
}

func TestWhatIsAppendedBeforeThePastIsReadIsNumbered(t *testing.T) {
	dir := write(t, `{"kind":"prompt","seq":1}`, `{"kind":"response","seq":2}`)
	f, err := Resume(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Append(event.Event{Kind: event.Notice}); err != nil {
		t.Fatal(err)
	}
	if kinds, err := past(f); err != nil || strings.Join(kinds, " ") != "prompt response notice" {
		t.Fatal(kinds, err)
	}
	if err := f.Append(event.Event{Kind: event.Audit}); err != nil {
		t.Fatal(err)
	}
	text, _ := os.ReadFile(filepath.Join(dir, FileName))
	if !strings.Contains(string(text), `"seq":3`) || !strings.Contains(string(text), `"seq":4`) {
		t.Errorf("%s", text)
	}
}
