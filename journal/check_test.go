package journal

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rein/event"
)

func TestCheckFindsAndRepairs(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir)
	picture := `{"role":"user","parts":[{"data":"` + picture(30_000, 1) + `"}]}`
	if err := f.Append(event.Event{Kind: event.Started}, event.Event{Kind: event.Prompted, Message: json.RawMessage(picture)}); err != nil {
		t.Fatal(err)
	}
	if _, err := Check(dir, true); !errors.Is(err, ErrHeld) {
		t.Errorf("repaired while it is open: %v", err)
	}
	if r, err := Check(dir, false); err != nil || len(r.Problems) != 0 || r.Events != 2 {
		t.Errorf("a whole journal: %+v, %v", r, err)
	}
	f.Close()
	name := filepath.Join(dir, FileName)
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	spoilt := string(text) + `{"kind":"prompt","seq":3,"te` + "\n" + `{"kind":"prompt","seq":6,"text":"later","message":{"parts":7}}` + "\n" + `{"kind":"granted","seq":6,"call":{"id":"c","name":"bash"}}` + "\n" + `{"kind":"st`
	blobs, _ := filepath.Glob(filepath.Join(dir, BlobsName, "*"))
	stray := filepath.Join(dir, BlobsName, ".new-1")
	if err := errors.Join(os.WriteFile(name, []byte(spoilt), 0o600), os.WriteFile(stray, nil, 0o600), os.Remove(blobs[0])); err != nil {
		t.Fatal(err)
	}
	r, err := Check(dir, true)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, p := range r.Problems {
		found = append(found, p.Text+"|"+p.Repaired)
	}
	all := strings.Join(found, "\n")
	for _, want := range []string{"missing or has changed", "cannot be read: ", "|moved to damaged.jsonl", "a crash cut off the last line", "the events 4 to 5 are missing",
		"the message cannot be read", "the event has the number 6 and comes after 6", "the call c of bash may have run", ".new-1|removed"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is not in:\n%s", want, all)
		}
	}
	if kept, err := os.ReadFile(r.Copy); err != nil || string(kept) != spoilt {
		t.Errorf("the copy: %v", err)
	}
	var kinds []string
	for e, err := range Read(name) {
		if err != nil {
			t.Fatal(err)
		}
		kinds = append(kinds, string(e.Kind))
	}
	if got := strings.Join(kinds, " "); got != "started prompt notice damaged prompt granted" {
		t.Errorf("after the repair: %s", got)
	}
	again, err := Check(dir, false)
	if err != nil || again.Events != 5 {
		t.Errorf("checked again: %+v, %v", again, err)
	}
	for _, p := range again.Problems {
		if strings.Contains(p.Text, "cannot be read: ") || strings.Contains(p.Text, "cut off") {
			t.Errorf("left: %+v", p)
		}
	}
}

// A line that was broken in two is one event again after a repair, and nothing is left to find. So it is with a line that lacks what its
// kind has.
func TestABrokenLineIsHealedForGood(t *testing.T) {
	const start = `{"kind":"started","seq":1,"start":{"model":"m","mode":"supervised","dir":"/w"}}` + "\n"
	for _, row := range []struct{ lines, repaired, kinds string }{
		{`{"kind":"prompt","seq":2,"te` + "\n" + `xt":"hello"}` + "\n" + `{"kind":"notice","seq":3}` + "\n", "joined", "started prompt notice"},
		{`{"kind":"prompt","seq":2,"te` + "\n" + `xt:"hello"}` + "\n" + `{"kind":"notice","seq":3}` + "\n", "moved to damaged.jsonl", "started damaged notice"},
		{`{"kind":"called","seq":2}` + "\n" + `{"kind":"notice","seq":3}` + "\n", "moved to damaged.jsonl", "started damaged notice"},
	} {
		dir := t.TempDir()
		name := filepath.Join(dir, FileName)
		if err := os.WriteFile(name, []byte(start+row.lines), 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := Check(dir, true)
		if err != nil || len(r.Problems) == 0 {
			t.Fatalf("%+v, %v", r, err)
		}
		for _, p := range r.Problems {
			if p.Repaired != row.repaired {
				t.Errorf("%q: %+v", row.lines, p)
			}
		}
		var kinds []string
		for e, err := range Read(name) {
			if err != nil {
				t.Fatal(err)
			}
			kinds = append(kinds, string(e.Kind))
		}
		if got := strings.Join(kinds, " "); got != row.kinds {
			t.Errorf("%q: after the repair: %s", row.lines, got)
		}
		if again, err := Check(dir, true); err != nil || len(again.Problems) != 0 {
			t.Errorf("%q: checked again: %+v, %v", row.lines, again, err)
		}
	}
}
