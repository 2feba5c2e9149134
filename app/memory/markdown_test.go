package memory

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
	"time"

	"rein/kit/tools/memory"
)

func TestMarkdownKeepsAll(t *testing.T) {
	at := time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)
	want := []memory.Entry{
		{ID: 3, Scope: memory.User, Category: "preference", Text: "tabs\n## not a heading\n\\ a backslash\n- not: a field\n\n数据库", Importance: 10, Tags: []string{"go", "style"}, Created: at, Source: "s1", By: "model"},
		{ID: 4, Scope: memory.Project, Project: "/work/a b", Category: "task", Text: "- a list\n- as text", Created: at, Expires: at.AddDate(0, 1, 0), By: "user", Proposed: true, Why: "example.com"},
	}
	var b bytes.Buffer
	if err := Write(&b, want); err != nil {
		t.Fatal(err)
	}
	got, err := Read(&b, true)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v\ngot  %+v\nwant %+v", err, got, want)
	}
}

func TestRead(t *testing.T) {
	rows := map[string]struct {
		text string
		want string // the text of the first entry, or the error
	}{
		"written by hand":     {"## anything\nMei likes tabs\n", "Mei likes tabs"},
		"nothing":             {"# Memory\n", ""},
		"an odd field":        {"## m1\n- colour: red\n\nx", `line 2: there is no field "colour"`},
		"no number":           {"## m1\n- importance: high\n\nx", "line 2:"},
		"a relative project":  {"## m1\n- project: a\n\nx", "not an absolute path"},
		"ends of line of DOS": {"## m1\r\n- category: task\r\n\r\nx\r\ny\r\n", "x\ny"},
	}
	for name, row := range rows {
		all, err := Read(strings.NewReader(row.text), false)
		got := ""
		if err != nil {
			got = err.Error()
		} else if len(all) > 0 {
			got = all[0].Text
		}
		if got != row.want && (err == nil || !strings.Contains(got, row.want)) {
			t.Errorf("%s: %q", name, got)
		}
	}
}
