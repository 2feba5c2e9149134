package tools

import (
	"context"
	"errors"
	"strings"
	"testing"

	"rein/lab/testkit"
)

func TestNotify(t *testing.T) {
	var sent []string
	var fails error
	tl := Notify([]string{"desktop", "mail"}, func(_ context.Context, title, text string) error {
		sent = append(sent, title+": "+text)
		return fails
	})
	for _, bad := range []string{`{}`, `{"text":""}`, `{"text":"` + strings.Repeat("a", 2001) + `"}`, `{"text":1}`} {
		if got, _ := testkit.Call(t, tl, bad); !strings.HasPrefix(got, "bad_arguments") {
			t.Errorf("%.30s: %s", bad, got)
		}
	}
	if got, _ := testkit.Call(t, tl, `{"message":"the tests pass"}`); got != "Sent (desktop, mail).\n" || sent[0] != "rein: the tests pass" {
		t.Errorf("%q, %q", got, sent)
	}
	fails = errors.New("mail: refused")
	if got, _ := testkit.Call(t, tl, `{"text":"x"}`); !strings.Contains(got, "mail: refused") {
		t.Error(got)
	}
	for range maxNotes {
		_, _ = testkit.Call(t, tl, `{"text":"x"}`)
	}
	if len(sent) != maxNotes {
		t.Errorf("%d were sent", len(sent))
	}
}
