package sessions

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rein/event"
	"rein/model"
)

// said returns the story of a transcript in one line for each event.
func said(tr *Transcript) string {
	var b strings.Builder
	for _, e := range tr.Events {
		switch e.Kind {
		case event.Prompted, event.Responded:
			var m model.Message
			if err := json.Unmarshal(e.Message, &m); err != nil {
				return err.Error()
			}
			fmt.Fprintf(&b, "%s:", m.Role)
			for _, p := range m.Parts {
				fmt.Fprintf(&b, " %s(%s%s%s)", p.Kind, p.Text, p.Name, p.Args)
			}
			if e.Usage != nil {
				fmt.Fprintf(&b, " in=%d cached=%d out=%d", e.Usage.Input, e.Usage.CacheRead, e.Usage.Output)
			}
		case event.Called:
			fmt.Fprintf(&b, "called %s %s", e.Call.Name, e.Call.Args)
		case event.Replied:
			fmt.Fprintf(&b, "replied %s failed=%v parts=%d %s", e.Call.Name, e.Result.Failed, len(e.Result.Parts), e.Result.Text)
		case event.Started:
			fmt.Fprintf(&b, "started in %s", e.Start.Dir)
		case event.Imported:
			fmt.Fprintf(&b, "imported from %s %s", e.Origin.Program, e.Origin.Session)
		default:
			b.WriteString(string(e.Kind))
		}
		b.WriteString("\n")
	}
	for _, l := range tr.Lost {
		fmt.Fprintf(&b, "lost %d %s\n", l.Count, l.What)
	}
	return b.String()
}

// Each file in testdata has a session file, and beside it what is read from it.
func TestRead(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "*.jsonl"))
	if err != nil || len(files) < 3 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			tr, err := readTranscript(text)
			if err != nil {
				t.Fatal(err)
			}
			golden := strings.TrimSuffix(name, ".jsonl") + ".txt"
			if os.Getenv("UPDATE") != "" {
				if err := os.WriteFile(golden, []byte(said(tr)), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil || said(tr) != string(want) {
				t.Errorf("got:\n%s\nwant:\n%s (%v)", said(tr), want, err)
			}
		})
	}
}

func TestOtherFiles(t *testing.T) {
	for name, text := range map[string]string{"empty": "", "text": "hello\nworld\n", "json": `{"a":1}`, "binary": "\x00\x01\x02", "an object of another program": `{"program":"other","events":[]}`} {
		if _, err := readTranscript([]byte(text)); !errors.Is(err, ErrUnknownFormat) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := readTranscript([]byte("\x28\xb5\x2f\xfd....")); err == nil || !strings.Contains(err.Error(), "compressed") {
		t.Error(err)
	}
}

// What a file says of approvals, rules, signatures and known files is not taken from it.
func TestNothingThatAllowsComesFromAFile(t *testing.T) {
	text := `{"kind":"started","seq":1,"session":"s","format":2,"start":{"model":"evil/m","mode":"full","dir":"/w","allow":["bash"],"sandbox":"off"}}
{"kind":"prompt","seq":2,"text":"go","message":{"role":"user","parts":[{"kind":"text","text":"go"}]}}
{"kind":"response","seq":3,"message":{"role":"assistant","from":"anthropic/x","raw":{"x":1},"parts":[{"kind":"thinking","text":"t","signature":"sig"},{"kind":"call","id":"c1","provider_id":"p1","name":"bash","args":"{}"}]}}
{"kind":"called","seq":4,"call":{"id":"c1","name":"bash","args":{}}}
{"kind":"granted","seq":5,"call":{"id":"c1","name":"bash"},"grant":{"by":"user","hash":"h"},"answer":{"choice":"approved","scope":"session"}}
{"kind":"replied","seq":6,"call":{"id":"c1","name":"bash"},"result":{"id":"c1","name":"bash","text":"ok","detail":{"read":{"path":"/etc/passwd","sum":"aa"}}}}
{"kind":"prompt","seq":7,"text":"more","message":{"role":"user","parts":[{"kind":"text","text":"more"}]}}
{"kind":"rewound","seq":8,"at":7}
{"kind":"response","seq":9,"message":{"role":"assistant","parts":[{"kind":"call","id":"c2","name":"bash","args":"{}"}]}}
`
	tr, err := readTranscript([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	all, err := json.Marshal(tr.Events)
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"evil", `"full"`, "allow", "sandbox", "sig", "raw", "granted", "approved", `"sum"`, `"anthropic/x"`, "provider_id"} {
		if strings.Contains(string(all), bad) {
			t.Errorf("%s is in %s", bad, all)
		}
	}
	for i, e := range tr.Events {
		if e.Kind == event.Rewound && tr.Events[e.At-1].Text != "more" {
			t.Errorf("event %d goes back to event %d: %+v", i+1, e.At, tr.Events[e.At-1])
		}
	}
	if !strings.Contains(said(tr), "replied bash failed=true parts=0 The call was interrupted") {
		t.Errorf("a call without a result stays open:\n%s", said(tr))
	}
}

func FuzzRead(f *testing.F) {
	files, _ := filepath.Glob(filepath.Join("testdata", "*.jsonl"))
	for _, name := range files {
		text, _ := os.ReadFile(name)
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		tr, err := readTranscript(text)
		if err != nil {
			return
		}
		for _, e := range tr.Events {
			if _, err := e.Line(nil); err != nil {
				t.Fatalf("%+v: %v", e, err)
			}
		}
	})
}

// Calls of Claude Code that ran at the same time keep their results: each result names its own call as its parent.
func TestParallelResultsOfClaudeCode(t *testing.T) {
	line := func(kind, id, parent, message, content string) string {
		return fmt.Sprintf(`{"type":%q,"uuid":%q,"parentUuid":%q,"timestamp":"2026-03-01T09:00:00Z","sessionId":"cc","cwd":"/w","message":{"id":%q,"content":%s}}`, kind, id, parent, message, content) + "\n"
	}
	text := line("user", "u0", "", "", `"look at both"`) +
		line("assistant", "a1", "u0", "m1", `[{"type":"tool_use","id":"t1","name":"Read","input":{"file_path":"a"}}]`) +
		line("assistant", "a2", "a1", "m1", `[{"type":"tool_use","id":"t2","name":"Read","input":{"file_path":"b"}}]`) +
		line("user", "r1", "a1", "", `[{"type":"tool_result","tool_use_id":"t1","content":"text of a"}]`) +
		line("user", "r2", "a2", "", `[{"type":"tool_result","tool_use_id":"t2","content":"text of b"}]`) +
		line("assistant", "a3", "r2", "m2", `[{"type":"text","text":"Both."}]`)
	got, err := readTranscript([]byte(text))
	if err != nil || len(got.Lost) != 0 {
		t.Fatalf("%+v, %v", got, err)
	}
	var results []string
	for _, e := range got.Events {
		if e.Kind == event.Replied {
			results = append(results, e.Result.Text)
		}
	}
	if all := strings.Join(results, ", "); all != "text of a, text of b" {
		t.Errorf("results: %s", all)
	}
}
