package task

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rein/client"
	"rein/lab/servertest"
	"rein/server"
	"rein/server/auth"
)

// The lists of the chat, and what changes them, are those of the server.
func TestAServerAnswersCommands(t *testing.T) {
	key := ""
	s := servertest.Start(t, "turns: [{text: hello}]", func(o *server.Options, state string) {
		o.Dir = filepath.Join(state, "server")
		users, _, err := auth.Open(o.Dir, filepath.Join(state, "other.key"))
		if err != nil {
			t.Fatal(err)
		}
		if key, err = users.Add(auth.User{Name: "vera", Role: auth.Viewer}); err != nil {
			t.Fatal(err)
		}
	})
	far := farOf(t, clientOf(s), &watcher{}, "").place
	for _, row := range []struct {
		line  string // words are separated by one space; what follows "-- " is one word
		want  string
		fails string
	}{
		{"tools", "read_file ", ""},
		{"agents list --json", `"name":"explore"`, ""},
		{"agents show explore", "built in", ""},
		{"agents show nobody", "", "there is no nobody"},
		{"skills list --json", "[]", ""},
		{"mcp list --json", "[]", ""},
		{"mcp get nothing", "", "there is no nothing"},
		{"mcp add x", "", "not over a server"},
		{"hooks list --json", "[]", ""},
		{"memory list --json", "[]", ""},
		{"memory add -- uses --race: always", "", ""},
		{"memory add --user -- likes tabs", "", ""},
		{"memory list --json", `"text":"uses --race: always"`, ""},
		{"memory show 2", "user", ""},
		{"memory search tabs", "likes tabs", ""},
		{"memory forget 1", "entry 1 is forgotten", ""},
		{"memory forget one", "", "one is not a number"},
		{"memory show 1", "", "there is no 1"},
		{"rules allow -- bash(go test:*)", "allow bash(go test:*) is kept", ""},
		{"rules deny --everywhere -- bash(rm:*)", "deny bash(rm:*) is kept", ""},
		{"rules allow -- bash(", "", "bash("},
		{"rules list --json", `"rule":"bash(go test:*)"`, ""},
		{"rules explain --mode supervised -- go test ./...", "allow", ""},
		{"rules remove -- bash(rm:*)", "removed: deny bash(rm:*)", ""},
		{"rules remove -- bash(rm:*)", "", "have no rule"},
		{"settings list", "permissions", ""},
		{"cron list --json", "", "tasks"},
		{"doctor", "", "not over a server"},
		{"", "", "not over a server"},
	} {
		head, tail, cut := strings.Cut(row.line, "-- ")
		args := strings.Fields(head)
		if cut {
			args = append(args, "--", tail)
		}
		out, err := far.Command(t.Context(), args...)
		switch {
		case row.fails != "" && (err == nil || !strings.Contains(err.Error(), row.fails) || out != ""):
			t.Errorf("%s: %q, %v", row.line, out, err)
		case row.fails == "" && (err != nil || !strings.Contains(out, row.want)):
			t.Errorf("%s: %q, %v", row.line, out, err)
		}
	}
	viewer, err := newFar(t.Context(), &client.Client{URL: s.URL, Key: key}, &watcher{}, far.new)
	if err != nil {
		t.Fatal(err)
	}
	if out, err := viewer.Command(t.Context(), "memory", "add", "--", "x"); err == nil || !strings.Contains(err.Error(), "operator") {
		t.Errorf("a viewer remembers: %q, %v", out, err)
	}
	if _, err := os.Stat(filepath.Join(s.Dir, "AGENTS.md")); err == nil {
		t.Error("a file of the server was written")
	}
}
