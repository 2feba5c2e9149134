package files

import (
	"strings"
	"testing"

	"rein/kit/workspace"
	"rein/tool"
)

// again is the room in a later process of the session: the files are the same, and the details of the results are known.
func (r *room) again() *room {
	r.t.Helper()
	w, err := workspace.Open(r.dir)
	r.must(err)
	r.t.Cleanup(func() { w.Close() })
	later := &room{t: r.t, dir: r.dir, files: Tools{Workspace: w}}
	for _, d := range r.details {
		later.files.Recall(d)
	}
	later.tools, err = tool.NewSet(all(later.files)...)
	r.must(err)
	return later
}

func TestResumedSessionKnowsWhatItSaw(t *testing.T) {
	rows := []struct {
		rule   string
		before [][2]string // tool, arguments
		meanwhile,
		refusal string // of writing a.txt then; "" when it may
	}{
		{"read whole", [][2]string{{"read_file", args("path", "./a.txt")}}, "", ""},
		{"read in part", [][2]string{{"read_file", args("path", "a.txt", "limit", 1)}}, "", "has not been read"},
		{"not read", nil, "", "has not been read"},
		{"read, and changed since", [][2]string{{"read_file", args("path", "a.txt")}}, "another\n", "has changed"},
		{"read and edited", [][2]string{{"read_file", args("path", "a.txt")}, {"edit_file", args("path", "a.txt", "old_text", "two", "new_text", "2")}}, "", ""},
		{"edited, and changed back by someone else", [][2]string{{"read_file", args("path", "a.txt")}, {"edit_file", args("path", "a.txt", "old_text", "two", "new_text", "2")}},
			"one\ntwo\n", "has changed"},
		{"edited unread", [][2]string{{"edit_file", args("path", "a.txt", "old_text", "two", "new_text", "2")}}, "", "has not been read"},
		{"read and written", [][2]string{{"read_file", args("path", "a.txt")}, {"write_file", args("path", "a.txt", "content", "x\n")}}, "", ""},
		{"removed by a patch, and made by someone else", [][2]string{{"read_file", args("path", "a.txt")},
			{"apply_patch", args("patch", "*** Begin Patch\n*** Delete File: a.txt\n*** End Patch")}}, "one\ntwo\n", "has not been read"},
		{"moved here by a patch", [][2]string{{"read_file", args("path", "b.txt")},
			{"apply_patch", args("patch", "*** Begin Patch\n*** Delete File: a.txt\n*** End Patch")},
			{"apply_patch", args("patch", "*** Begin Patch\n*** Update File: b.txt\n*** Move to: a.txt\n@@\n-bee\n+B\n*** End Patch")}}, "", ""},
	}
	for _, row := range rows {
		t.Run(row.rule, func(t *testing.T) {
			r := newRoom(t)
			r.put("a.txt", "one\ntwo\n")
			r.put("b.txt", "bee\n")
			for _, c := range row.before {
				if got := r.call(c[0], c[1]); strings.Contains(got, " | ") {
					t.Fatalf("%s: %s", c[0], got)
				}
			}
			if row.meanwhile != "" {
				r.put("a.txt", row.meanwhile)
			}
			got := r.again().call("write_file", args("path", "a.txt", "content", "new\n"))
			if row.refusal == "" && strings.Contains(got, " | ") || !strings.Contains(got, row.refusal) {
				t.Errorf("%s", got)
			}
		})
	}
}

func TestRecallAcceptsAnyDetail(t *testing.T) {
	r := newRoom(t)
	r.put("a.txt", "one\n")
	for _, detail := range []string{"", "null", "{", "[]", `{"read":1}`, `{"read":{"path":"a.txt","sum":"zz"}}`, `{"read":{"path":"a.txt","sum":"00"}}`,
		`{"read":{"path":"../x","sum":""}}`, `{"read":{"path":"a.txt","sum":"` + strings.Repeat("0", 66) + `"}}`, `{"read":{"path":"/etc/passwd","sum":"` + strings.Repeat("0", 64) + `"}}`,
		`{"changes":[{"path":"a.txt"}]}`, `{"path":"a.txt","sum":"x"}`} {
		r.files.Recall([]byte(detail))
	}
	if got := r.call("write_file", args("path", "a.txt", "content", "x\n")); !strings.Contains(got, "has not been read") {
		t.Error(got)
	}
}
