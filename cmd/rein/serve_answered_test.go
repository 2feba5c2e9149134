package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rein/app/server/api"
	"rein/event"
	"rein/journal"
)

// An answer that the server has taken holds, whenever the server is killed after that: the next one continues the call, or says that
// it may have run, and asks nobody again. No call runs twice.
func TestAnAnswerSurvivesAKilledServer(t *testing.T) {
	t.Parallel()
	kills := 24
	if testing.Short() {
		kills = 4
	}
	root := t.TempDir()
	for name, text := range map[string]string{"ws/a.txt": "a\n", "script.yaml": `turns:
  - calls: [{name: bash, args: {command: "git push origin main; echo x >> done.txt; echo it ran"}}]
  - text: All good.
`} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	random, lines := rand.New(rand.NewPCG(1, 2)), 0
	ended := map[string]int{}
	p := serveIn(t, root)
	b := sign(p)
	for i := range kills {
		var s api.Session
		b.send("POST", "/v1/sessions", api.NewSession{Text: fmt.Sprint("go ", i)}, &s)
		r := b.waits()
		var got api.Answered
		b.send("POST", "/v1/inbox/"+r.Session+"/"+r.Call, api.Answer{Choice: "approved", Hash: r.Hash}, &got)
		if !got.Mine {
			t.Fatalf("kill %d: the answer does not count: %+v", i, got)
		}
		time.Sleep(time.Duration(random.IntN(50_000)) * time.Microsecond) // another process: there is no fake clock for it
		p.kill()
		p = serveIn(t, root)
		b = sign(p)
		b.follow("s:"+s.ID, "", func(name, data string) bool { return name == "event" && strings.Contains(data, `"kind":"stopped"`) })
		var left api.Requests
		if b.send("GET", "/v1/inbox", nil, &left); len(left.Requests) > 0 {
			t.Fatalf("kill %d: it is asked again", i)
		}
		how, result := endOfCall(t, filepath.Join(root, "home"), s.ID)
		ended[how]++
		text, err := os.ReadFile(filepath.Join(root, "ws", "done.txt"))
		now := strings.Count(string(text), "x\n")
		if now-lines > 1 || now == lines && (err == nil || lines == 0) && how != "may have run" {
			t.Fatalf("kill %d: %d lines, then %d, and the call %s: %s", i, lines, now, how, result)
		}
		lines = now
	}
	t.Logf("%d kills: %v", kills, ended)
	if ended["ran"] == 0 {
		t.Error("no call continued")
	}
}

// endOfCall says how the one call of a session ended, and gives its result.
func endOfCall(t *testing.T, home, id string) (how, result string) {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(home, "*", id, journal.FileName))
	if more, _ := filepath.Glob(filepath.Join(home, "*", "*", id, journal.FileName)); len(all) == 0 {
		all = more
	}
	if err != nil || len(all) != 1 {
		t.Fatalf("the journal of %s: %v, %v", id, all, err)
	}
	text, err := os.ReadFile(all[0])
	if err != nil {
		t.Fatal(err)
	}
	granted := 0
	for line := range strings.Lines(string(text)) {
		var e event.Event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		switch {
		case e.Kind == event.Granted:
			granted++
		case e.Kind == event.Replied:
			result = e.Result.Text
		}
	}
	if granted != 1 {
		t.Fatalf("the call was granted %d times", granted)
	}
	if strings.Contains(result, "it ran") {
		return "ran", result
	}
	return "may have run", result
}
