package files

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"rein/tool"
)

// copied sets what a sub-agent changed. removed reports whether its copy was removed.
func (r *room) copied(changed ...Copied) (removed *bool) {
	removed = new(bool)
	r.files.Copied = func(id string) (Copy, error) {
		if id != "c1" {
			return Copy{}, &tool.Error{Kind: tool.NotFound, Text: "There is none."}
		}
		return Copy{Files: changed, Remove: func() error { *removed = true; return nil }}, nil
	}
	var err error
	r.tools, err = tool.NewSet(append(all(r.files), r.files.AgentApply())...)
	r.must(err)
	return removed
}

func TestAgentApplyMerges(t *testing.T) {
	r := newRoom(t)
	r.put("same.txt", "one\ntwo\n")
	r.put("both.txt", "HERE\n2\n3\n4\n5\n6\n")
	r.put("gone.txt", "old\n")
	r.put("has.txt", "new\n")
	r.put("run.sh", "#!/bin/sh\n")
	r.put("image.bin", "\x00\x01")
	r.put("win.txt", "a\r\nb\r\n")
	removed := r.copied(
		Copied{Path: "same.txt", Base: []byte("one\ntwo\n"), Data: []byte("one\nTWO\n")},
		Copied{Path: "both.txt", Base: []byte("1\n2\n3\n4\n5\n6\n"), Data: []byte("1\n2\n3\n4\n5\nTHERE\n")},
		Copied{Path: "gone.txt", Base: []byte("old\n")},
		Copied{Path: "has.txt", Base: []byte("old\n"), Data: []byte("new\n")},
		Copied{Path: "dir/new.sh", Data: []byte("#!/bin/sh\n"), Executable: true},
		Copied{Path: "run.sh", Base: []byte("#!/bin/sh\n"), Data: []byte("#!/bin/sh\n"), Executable: true},
		Copied{Path: "empty", Data: []byte{}},
		Copied{Path: "image.bin", Base: []byte("\x00\x01"), Data: []byte("\x00\x02\x03")},
		Copied{Path: "win.txt", Base: []byte("a\r\nb\r\n"), Data: []byte("a\r\nc\r\n")},
	)
	shown, err := r.files.Preview("agent_apply", []byte(`{"id":"c1"}`))
	r.must(err)
	if !strings.HasPrefix(shown[3].Diff, "(becomes executable)\n") || shown[4].Diff != "(becomes executable)\n" {
		t.Errorf("the executable files: %+v, %+v", shown[3], shown[4])
	}
	if len(shown) != 8 || !strings.Contains(shown[0].Diff, "+TWO") || r.get("same.txt") != "one\ntwo\n" {
		t.Errorf("preview: %+v", shown)
	}
	text := r.call("agent_apply", `{"id":"c1"}`)
	for name, want := range map[string]string{"same.txt": "one\nTWO\n", "both.txt": "HERE\n2\n3\n4\n5\nTHERE\n", "has.txt": "new\n", "dir/new.sh": "#!/bin/sh\n", "empty": "",
		"image.bin": "\x00\x02\x03", "win.txt": "a\r\nc\r\n"} {
		if got := r.get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	for _, name := range []string{"dir/new.sh", "run.sh"} {
		if info, err := os.Stat(filepath.Join(r.dir, name)); err != nil || runtime.GOOS != "windows" && info.Mode()&0o100 == 0 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
	if _, err := os.Stat(filepath.Join(r.dir, "gone.txt")); err == nil {
		t.Error("gone.txt is still there")
	}
	if !*removed || !strings.Contains(text, "deleted gone.txt") {
		t.Errorf("removed %v:\n%s", *removed, text)
	}
	if again := r.call("agent_apply", `{"id":"c1"}`); !strings.Contains(again, "has these changes already") {
		t.Errorf("again: %s", again)
	}
}

func TestAgentApplyLosesNothing(t *testing.T) {
	conflicts := map[string]Copied{
		"changed in the same place": {Path: "f", Base: []byte("1\n"), Data: []byte("2\n")},
		"changed here, deleted":     {Path: "f", Base: []byte("1\n")},
		"created in both":           {Path: "f", Data: []byte("2\n")},
		"deleted here":              {Path: "missing", Base: []byte("1\n"), Data: []byte("2\n")},
		"no text":                   {Path: "f", Base: []byte("\x00"), Data: []byte("\x00\x01")},
	}
	for name, c := range conflicts {
		t.Run(name, func(t *testing.T) {
			r := newRoom(t)
			r.put("f", "mine\n")
			r.put("dir/ok", "1\n")
			removed := r.copied(c, Copied{Path: "dir/ok", Base: []byte("1\n"), Data: []byte("2\n")})
			if _, err := r.files.AgentApply().Intent([]byte(`{"id":"c1"}`)); err == nil {
				t.Error("an approval would be requested for what cannot be merged")
			}
			if text := r.call("agent_apply", `{"id":"c1"}`); !strings.Contains(text, c.Path+":") || r.get("f") != "mine\n" || r.get("dir/ok") != "1\n" || *removed {
				t.Errorf("all: f %q, ok %q, removed %v:\n%s", r.get("f"), r.get("dir/ok"), *removed, text)
			}
			if text := r.call("agent_apply", `{"id":"c1","part":true}`); !strings.Contains(text, "not merged: "+c.Path) || r.get("f") != "mine\n" || r.get("dir/ok") != "2\n" || *removed {
				t.Errorf("part: f %q, ok %q, removed %v:\n%s", r.get("f"), r.get("dir/ok"), *removed, text)
			}
		})
	}
}

func TestAgentApplyOfSomePaths(t *testing.T) {
	r := newRoom(t)
	r.put("dir/a", "1\n")
	r.put("b", "1\n")
	removed := r.copied(Copied{Path: "dir/a", Base: []byte("1\n"), Data: []byte("2\n")}, Copied{Path: "b", Base: []byte("1\n"), Data: []byte("2\n")})
	intent, err := r.files.AgentApply().Intent([]byte(`{"id":"c1","paths":["./dir/"]}`))
	if err != nil || len(intent.Writes) != 1 || intent.Writes[0] != "dir/a" {
		t.Errorf("intent %v, %v", intent, err)
	}
	r.call("agent_apply", `{"id":"c1","paths":["./dir/"]}`)
	if r.get("dir/a") != "2\n" || r.get("b") != "1\n" || *removed {
		t.Errorf("a %q, b %q, removed %v", r.get("dir/a"), r.get("b"), *removed)
	}
	for _, bad := range []string{`{"id":"c1","paths":["other"]}`, `{"id":"c2"}`} {
		if _, err := r.files.AgentApply().Intent([]byte(bad)); err == nil {
			t.Errorf("%s has an intent", bad)
		}
	}
}

func TestAgentApplyStaysInTheWorkspace(t *testing.T) {
	r := newRoom(t)
	r.copied(Copied{Path: "../outside/secret", Base: []byte(canary), Data: []byte("taken")})
	r.call("agent_apply", `{"id":"c1"}`)
	if text, err := os.ReadFile(filepath.Join(r.outside, "secret")); err != nil || string(text) != canary {
		t.Errorf("%q, %v", text, err)
	}
}

// TestAgentApplyWritesWhatWasJudged is an attack: the sub-agent continues between the judging of the call and its work, and writes a file that
// needs an approval.
func TestAgentApplyWritesWhatWasJudged(t *testing.T) {
	for name, later := range map[string][]Copied{
		"approval-23 another file":    {{Path: "ok", Data: []byte("1\n")}, {Path: ".envrc", Data: []byte("evil\n")}},
		"approval-23 another content": {{Path: "ok", Data: []byte("2\n")}},
		"approval-23 a file less":     {},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRoom(t)
			r.copied()
			now := []Copied{{Path: "ok", Data: []byte("1\n")}}
			r.files.Copied = func(string) (Copy, error) { return Copy{Files: now, Remove: func() error { return nil }}, nil }
			apply := r.files.AgentApply()
			run := func() error {
				return apply.Run(t.Context(), []byte(`{"id":"c1"}`), tool.NewReply(tool.ReplyOptions{}))
			}
			if err := run(); err == nil {
				t.Error("it ran without having been judged")
			}
			if _, err := apply.Intent([]byte(`{"id":"c1"}`)); err != nil {
				t.Fatal(err)
			}
			now = later
			if err := run(); err == nil || tool.AsError(err).Kind != tool.Stale {
				t.Errorf("it ran: %v", err)
			}
			if _, err := os.Stat(filepath.Join(r.dir, "ok")); err == nil {
				t.Error("something was written")
			}
			if _, err := apply.Intent([]byte(`{"id":"c1"}`)); err != nil {
				t.Fatal(err)
			}
			if err := run(); err != nil {
				t.Errorf("judged again: %v", err)
			}
		})
	}
}

// Names of files add no lines to what the model reads.
func TestNamesInAgentApply(t *testing.T) {
	r := newRoom(t)
	r.put("f\nnot taken over: x", "mine\n")
	r.copied(Copied{Path: "f\nnot taken over: x", Data: []byte("2\n")}, Copied{Path: "new\nname", Data: []byte("2\n"), Executable: true})
	const attack = "path-21 names of files that add lines to what the model reads"
	if text := r.call("agent_apply", `{"id":"c1","part":true}`); strings.Contains(text, "f\nnot") || strings.Contains(text, "new\nname") {
		t.Error(attack, text)
	}
}
