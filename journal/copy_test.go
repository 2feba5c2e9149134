package journal

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"rein/event"
)

func TestACopyKeepsTheNumbersOfEvents(t *testing.T) {
	root := t.TempDir()
	from := filepath.Join(root, "from")
	if err := os.Mkdir(from, 0o700); err != nil {
		t.Fatal(err)
	}
	message := `{"parts":[{"data":"` + picture(30_000, 1) + `"}]}`
	lines := `{"kind":"started","seq":1,"session":"from"}` + "\n" + `{"kind": torn inside` + "\n" +
		`{"kind":"prompt","seq":3,"session":"from","text":"a"}` + "\n" + `{"kind":"rewound","seq":4,"at":3}` + "\n" + `{"kind":"pro`
	if err := os.WriteFile(filepath.Join(from, FileName), []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	f := open(t, from)
	if err := f.Append(event.Event{Kind: event.Prompted, Message: json.RawMessage(message)}); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	c := Copying{From: filepath.Join(from, FileName), Root: root, ID: "to", Last: []event.Event{{Kind: event.Forked}}}
	if err := Copy(c); err != nil {
		t.Fatal(err)
	}
	var last event.Event
	for e, err := range Read(filepath.Join(root, "to", FileName)) {
		if err != nil || e.Session != "to" {
			t.Fatalf("%+v, %v", e, err)
		}
		switch e.Kind {
		case event.Rewound:
			if e.Seq != 4 || e.At != 3 {
				t.Errorf("the event has number %d and refers to %d", e.Seq, e.At)
			}
		case event.Prompted:
			last = e
		}
	}
	if last.Seq != 5 || string(last.Message) != message {
		t.Errorf("the last message has number %d and is %.50s", last.Seq, last.Message)
	}
	if err := Copy(c); !errors.Is(err, ErrExists) {
		t.Errorf("copied over a session: %v", err)
	}
	c.ID, c.At = "other", 99
	if err := Copy(c); err == nil {
		t.Error("copied up to an event that is not there")
	}
	if left, _ := filepath.Glob(filepath.Join(root, "*")); len(left) != 2 {
		t.Errorf("left behind: %v", left)
	}
}
