package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rein/guard"
	"rein/tool"
	"rein/toolkit"
	"rein/workspace"
)

func TestQuestionsShowTheRealDiff(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "f"), []byte("if x {\n\told()\n}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	ws, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	w := &wired{workspace: ws, files: toolkit.Files{Workspace: ws}, guards: &guards{}}
	ask := func(name, args string) string {
		c := guard.Case{Call: tool.Call{Name: name, Args: json.RawMessage(args)}}
		return strings.Join(w.question(c, guard.Verdict{Reason: "it changes a file"}).lines, "\n")
	}
	want := "edit_file\n  change f (+1 -1 lines)\n  @@ -1,3 +1,3 @@\n   if x {\n  -\\told()\n  +\\tnew()\n   }\n  because  it changes a file"
	if got := ask("edit_file", `{"path":"f","old_text":"    old()","new_text":"    new()"}`); got != want {
		t.Errorf("got %s", got)
	}
	for name, args := range map[string]string{"edit_file": `{"path":"f","old_text":"gone"}`, "bash": `{"command":"ls"}`} {
		if got := ask(name, args); !strings.Contains(got, args) {
			t.Errorf("%s: without a preview the arguments are shown: %s", name, got)
		}
	}
	long := `{"path":"n","content":"` + strings.Repeat(`x\n`, 900) + `"}`
	if got := ask("write_file", long); !strings.Contains(got, long) || !strings.Contains(got, "create n (+900 -0 lines)") {
		t.Errorf("what is cut is shown by its arguments, too: %.200s", got)
	}
}
