package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rein/app/catalogue"
	"rein/app/client"
	"rein/app/server"
	"rein/lab/servertest"
)

// The lists of the chat, and what changes them, are those of the server.
func TestAServerAnswersCommands(t *testing.T) {
	key := ""
	s := servertest.Start(t, "turns: [{text: hello}]", func(o *server.Options, state string) {
		o.Dir = filepath.Join(state, "server")
		users, _, err := server.OpenUsers(o.Dir, filepath.Join(state, "other.key"))
		if err != nil {
			t.Fatal(err)
		}
		if key, err = users.Add(server.User{Name: "vera", Role: server.RoleViewer}); err != nil {
			t.Fatal(err)
		}
	})
	place := openRemote(t, clientOf(s), &watcher{}, "").place
	all := remoteCatalogue{place}
	for _, row := range []struct {
		line  string // words are separated by one space; what follows "-- " is one word
		want  string
		fails string
	}{
		{"tools list", "read_file ", ""},
		{"agents list", "explore", ""},
		{"agents show explore", "built in", ""},
		{"agents show nobody", "", "there is no nobody"},
		{"skills list", "", ""},
		{"mcp list", "", ""},
		{"mcp get nothing", "", "there is no nothing"},
		{"mcp enable x", "", "not over a server"},
		{"hooks list", "", ""},
		{"memory list", "", ""},
		{"memory add -- uses --race: always", "", ""},
		{"memory add --user -- likes tabs", "", ""},
		{"memory list", "uses --race: always", ""},
		{"memory show 2", "user", ""},
		{"memory search tabs", "likes tabs", ""},
		{"memory forget 1", "entry 1 is forgotten", ""},
		{"memory forget one", "", "one is not a number"},
		{"memory show 1", "", "there is no 1"},
		{"rules list", "bash(go test:*)", ""},
		{"rules explain -- go test ./...", "allow", ""},
		{"rules check", "rules: 2, warnings: 0", ""},
		{"rules remove -- bash(rm:*)", "removed: deny bash(rm:*)", ""},
		{"rules remove -- bash(rm:*)", "", "have no rule"},
		{"settings list", "permissions", ""},
		{"cron list", "", "tasks"},
		{"doctor list", "", "not over a server"},
	} {
		if row.line == "rules list" {
			keepRules(t, place)
		}
		out, err := answered(t, all, row.line)
		switch {
		case row.fails != "" && (err == nil || !strings.Contains(err.Error(), row.fails) || out != ""):
			t.Errorf("%s: %q, %v", row.line, out, err)
		case row.fails == "" && (err != nil || !strings.Contains(out, row.want)):
			t.Errorf("%s: %q, %v", row.line, out, err)
		}
	}
	viewer, err := newRemotePlace(t.Context(), &client.Client{URL: s.URL, Key: key}, &watcher{}, place.new)
	if err != nil {
		t.Fatal(err)
	}
	if out, err := answered(t, remoteCatalogue{viewer}, "memory add -- x"); err == nil || !strings.Contains(err.Error(), "operator") {
		t.Errorf("a viewer remembers: %q, %v", out, err)
	}
	if _, err := os.Stat(filepath.Join(s.Dir, "AGENTS.md")); err == nil {
		t.Error("a file of the server was written")
	}
}

// answered is what the catalogue of a server has to a line such as "agents show explore"; of a list the names.
func answered(t *testing.T, all remoteCatalogue, line string) (out string, err error) {
	head, tail, cut := strings.Cut(line, "-- ")
	args := strings.Fields(head)
	if cut {
		args = append(args, "--", tail)
	}
	kind, args := catalogue.Kind(args[0]), args[1:]
	if args[0] == "list" && kind != catalogue.Tools && kind != catalogue.Settings {
		list, err := all.List(t.Context(), kind)
		for _, e := range list.Entries {
			out += e.Name + "\n"
		}
		return out, err
	}
	r, ok := catalogue.Parse(kind, args)
	if !ok {
		t.Fatal(line)
	}
	return all.Do(t.Context(), r)
}

// keepRules keeps two rules on the server. One that cannot be read is not kept.
func keepRules(t *testing.T, place *remotePlace) {
	for _, err := range []error{place.KeepRules(t.Context(), "allow", []string{"bash(go test:*)"}, false), place.KeepRules(t.Context(), "deny", []string{"bash(rm:*)"}, true)} {
		if err != nil {
			t.Error(err)
		}
	}
	if err := place.KeepRules(t.Context(), "allow", []string{"bash("}, false); err == nil || !strings.Contains(err.Error(), "bash(") {
		t.Error(err)
	}
}
