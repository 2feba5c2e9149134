package catalogue

import (
	"encoding/json"
	"reflect"
	"testing"

	"rein/tool"
)

// TestWays: the same call means the same, however it is written.
func TestWays(t *testing.T) {
	p := JudgingPlace{Mode: "supervised", Isolation: "full", Root: "/w"}
	for _, row := range []struct{ tool, named, args string }{
		{"bash", "ls a", `{"command":"ls a"}`},
		{"read_file", "a/b", `{"path":"a/b"}`},
		{"write_file", "a/b", `{"file_path":"a/b"}`},
		{"undo_edit", "a/b", `{"path":"a/b"}`},
		{"web_fetch", "domain:example.com", `{"url":"https://me@example.com/x?y"}`},
		{"mcp__a__b", "", `{}`},
	} {
		named, err := p.Named(row.tool, row.named, []string{"bash", "read_file", "write_file", "undo_edit", "web_fetch"})
		if err != nil {
			t.Fatal(err)
		}
		call, err := p.Call(row.tool, json.RawMessage(row.args), "")
		if err != nil {
			t.Fatal(err)
		}
		call.Call.Args = nil
		if !reflect.DeepEqual(named, call) {
			t.Errorf("%s: %+v, %+v", row.tool, named, call)
		}
	}
}

// TestUnnamedFiles: a call that writes and names no file may write any.
func TestUnnamedFiles(t *testing.T) {
	c, err := JudgingPlace{Mode: "supervised", Isolation: "full"}.Call("apply_patch", json.RawMessage(`{"patch":"x"}`), "")
	if err != nil || !c.Intent.Unknown || c.Effect&tool.Writes == 0 {
		t.Errorf("%+v, %v", c, err)
	}
}
