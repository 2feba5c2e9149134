package tools

import (
	"encoding/json"
	"testing"

	"rein/kit/sandbox"
	"rein/kit/tools/command"
	"rein/kit/tools/files"
	"rein/kit/tools/media"
	"rein/kit/tools/web"
	"rein/kit/workspace"
	"rein/tool"
)

// opensAll is an Opener that knows every access.
type opensAll struct{}

func (opensAll) Check(a AccessRequest) (AccessRequest, bool, error) { return a, false, nil }
func (opensAll) Open(AccessRequest) (string, error)                 { return "until the session ends.", nil }

// TestIntents checks the intent of one call of each tool: it lists something for each effect of the tool, or the tool has no
// such effect. Every tool that reads has an intent, so that it waits only for writes of the same files.
func TestIntents(t *testing.T) {
	ws, err := workspace.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	w, err := web.New(web.Options{})
	if err != nil {
		t.Fatal(err)
	}
	find, err := web.NewSearch(web.SearchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	tools := append(Standard(files.Tools{Workspace: ws}, command.Shell{Jobs: &sandbox.Jobs{}}, &Plan{}), w.Fetch(), w.Request(), find.Search(), media.Tools{}.ViewImage(), media.Tools{}.ViewVideo(), media.Tools{}.SendFile(), RequestAccess(opensAll{}), Recall(nil))
	calls := map[string]struct {
		args   string
		effect tool.Effect
		want   tool.Intent
	}{
		"recall":         {`{"find":"x"}`, 0, tool.Intent{}},
		"read_file":      {`{"path":"a"}`, tool.Reads, tool.Intent{Reads: []string{"a"}}},
		"write_file":     {`{"path":"a","content":"x"}`, tool.Reads | tool.Writes, tool.Intent{Writes: []string{"a"}}},
		"edit_file":      {`{"path":"a"}`, tool.Reads | tool.Writes, tool.Intent{Reads: []string{"a"}, Writes: []string{"a"}}},
		"insert":         {`{"path":"a","line":1,"text":"x"}`, tool.Reads | tool.Writes, tool.Intent{Reads: []string{"a"}, Writes: []string{"a"}}},
		"undo_edit":      {`{"path":"a"}`, tool.Reads | tool.Writes, tool.Intent{Reads: []string{"a"}, Writes: []string{"a"}}},
		"notebook_edit":  {`{"path":"a"}`, tool.Reads | tool.Writes, tool.Intent{Reads: []string{"a"}, Writes: []string{"a"}}},
		"apply_patch":    {`{"patch":"*** Begin Patch\n*** Update File: a\n*** Move to: b\n@@\n-x\n+y\n*** Delete File: c\n*** End Patch"}`, tool.Reads | tool.Writes, tool.Intent{Reads: []string{"a", "c"}, Writes: []string{"a", "b", "c"}}},
		"list_dir":       {`{}`, tool.Reads, tool.Intent{Reads: []string{"."}}},
		"glob":           {`{"pattern":"/src/*.go"}`, tool.Reads, tool.Intent{Reads: []string{"/src"}}},
		"grep":           {`{"pattern":"x","path":"d"}`, tool.Reads, tool.Intent{Reads: []string{"d"}}},
		"bash":           {`{"command":"ls"}`, tool.Reads | tool.Writes | tool.Runs, tool.Intent{Command: "ls"}},
		"job_input":      {`{"job":"job1","text":"ls"}`, tool.Reads | tool.Writes | tool.Runs, tool.Intent{Command: "ls"}},
		"job_output":     {`{"job":"job1"}`, tool.Reads, tool.Intent{}},
		"job_kill":       {`{"job":"job1"}`, tool.Reads, tool.Intent{}},
		"todo":           {`{"items":[]}`, 0, tool.Intent{}},
		"web_fetch":      {`{"url":"https://a.test/"}`, tool.Reads | tool.Reaches, tool.Intent{Hosts: []string{"a.test:443"}}},
		"http_request":   {`{"url":"http://a.test:8080/","method":"POST"}`, tool.Reads | tool.Reaches, tool.Intent{Hosts: []string{"a.test:8080"}}},
		"web_search":     {`{"query":"x"}`, tool.Reads | tool.Reaches, tool.Intent{Hosts: []string{"html.duckduckgo.com:443"}}},
		"view_video":     {`{"path":"a.mp4"}`, tool.Reads, tool.Intent{Reads: []string{"a.mp4"}}},
		"send_file":      {`{"path":"a.csv"}`, tool.Reads, tool.Intent{Reads: []string{"a.csv"}}},
		"view_image":     {`{"path":"a.png"}`, tool.Reads, tool.Intent{Reads: []string{"a.png"}}},
		"request_access": {`{"write":"/d","why":"x"}`, 0, tool.Intent{Writes: []string{"/d"}, RequestsAccess: true}},
	}
	for _, tl := range tools {
		call, ok := calls[tl.Name]
		if !ok {
			t.Errorf("%s: no row in this test", tl.Name)
			continue
		}
		if tl.Effect != call.effect {
			t.Errorf("%s: effect %v, want %v", tl.Name, tl.Effect, call.effect)
		}
		if tl.Intent == nil {
			t.Errorf("%s has no intent", tl.Name)
			continue
		}
		got, err := tl.Intent(json.RawMessage(call.args))
		a, _ := json.Marshal(got)
		b, _ := json.Marshal(call.want)
		if err != nil || string(a) != string(b) {
			t.Errorf("%s: intent %s, %v; want %s", tl.Name, a, err, b)
		}
	}
	if len(tools) != len(calls) {
		t.Errorf("%d tools, %d rows", len(tools), len(calls))
	}
}

// TestSpecsStayShort bounds what all descriptions and schemas cost in each request to a model.
func TestSpecsStayShort(t *testing.T) {
	w, err := web.New(web.Options{})
	if err != nil {
		t.Fatal(err)
	}
	find, err := web.NewSearch(web.SearchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, tl := range append(Standard(files.Tools{}, command.Shell{Jobs: &sandbox.Jobs{}}, &Plan{}), w.Fetch(), w.Request(), find.Search(), media.Tools{}.ViewImage(), media.Tools{}.ViewVideo(), media.Tools{}.SendFile(), RequestAccess(opensAll{}), Recall(nil)) {
		total += len(tl.Name) + len(tl.Description) + len(tl.Input.Raw())
	}
	if most := 17_500; total > most {
		t.Errorf("the tools take %d bytes, at most %d", total, most)
	}
}
