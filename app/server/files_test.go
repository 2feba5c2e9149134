package server

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rein/app/server/api"
	"rein/event"
)

// While a message is written, a client offers the commands of files and the files that may be shown.
func TestNamesForAMessage(t *testing.T) {
	h := newHome(t, "turns: [{text: hi}]")
	for name, text := range map[string]string{"a.txt": "hello", ".env": "API_KEY=abcdef123456", "sub/b.go": "package b\n", "left.log": "x", ".gitignore": "*.log\n"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(h.dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(h.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	commands := filepath.Join(h.dirs.Config, "commands")
	if err := os.MkdirAll(commands, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(commands, "review.md"), []byte("---\ndescription: Reads a change\nargument-hint: FILE\n---\nReview $1.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	v := h.start()
	s := ask[api.Session](v, "POST", "/v1/sessions", api.NewSession{Text: "go"})
	v.state(s.ID, api.Idle)
	names := ask[api.Names](v, "GET", "/v1/sessions/"+s.ID+"/names", nil)
	for _, f := range []string{"a.txt", "sub/b.go"} {
		if !slices.Contains(names.Files, f) {
			t.Errorf("%s is missing: %q", f, names.Files)
		}
	}
	for _, f := range []string{".env", "left.log"} {
		if slices.Contains(names.Files, f) {
			t.Errorf("%s is offered", f)
		}
	}
	at := slices.IndexFunc(names.Commands, func(c api.Command) bool { return c.Name == "review" })
	if at < 0 || names.Commands[at].About != "Reads a change" || names.Commands[at].Hint != "FILE" {
		t.Errorf("%+v", names.Commands)
	}
	if all := ask[[]api.Model](v, "GET", "/v1/models", nil); all == nil {
		t.Error("models are not a list")
	}
}

// In a workspace of more files than an answer has, those are found whose names have the letters.
func TestNamesOfManyFiles(t *testing.T) {
	h := newHome(t, "turns: [{text: hi}]")
	for _, name := range append([]string{"z/Readme.md", "z/secret/.env"}, slices.Collect(func(yield func(string) bool) {
		for i := 0; i <= mostNames && yield(fmt.Sprintf("a/%04d.txt", i)); i++ {
		}
	})...) {
		if err := errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(h.dir, name)), 0o700), os.WriteFile(filepath.Join(h.dir, name), nil, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	v := h.start()
	s := ask[api.Session](v, "POST", "/v1/sessions", api.NewSession{Text: "go"})
	v.state(s.ID, api.Idle)
	if all := ask[api.Names](v, "GET", "/v1/sessions/"+s.ID+"/names", nil); !all.More || len(all.Files) != mostNames {
		t.Errorf("%d files, more: %v", len(all.Files), all.More)
	}
	if some := ask[api.Names](v, "GET", "/v1/sessions/"+s.ID+"/names?letters=zREAD", nil); some.More || !slices.Equal(some.Files, []string{"z/Readme.md"}) {
		t.Errorf("%+v", some)
	}
}

// The files of a workspace are listed, read and downloaded, but for those that may hold secrets, and none outside.
func TestFilesOfAWorkspace(t *testing.T) {
	h := newHome(t, "turns: [{text: hi}]")
	for name, text := range map[string]string{"a.txt": "hello <b>", ".env": "API_KEY=abcdef123456", "sub/b.go": "package b\n", "../outside": "no"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(h.dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(h.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	v := h.start()
	top := ask[api.Listing](v, "GET", "/v1/files", nil)
	if len(top.Entries) != 2 || top.Entries[0].Name != "sub" || top.Entries[1].Name != "a.txt" || top.Hidden != 1 || top.Dir != h.dir {
		t.Errorf("%+v", top)
	}
	if sub := ask[api.Listing](v, "GET", "/v1/files?path=sub", nil); len(sub.Entries) != 1 || sub.Entries[0].Size != 10 {
		t.Errorf("%+v", sub)
	}
	if text := ask[api.FileText](v, "GET", "/v1/files/text?path=a.txt", nil); text.Text != "hello <b>" || text.Size != 9 {
		t.Errorf("%+v", text)
	}
	if status, text := v.request("GET", "/v1/files/download?path=a.txt", ""); status != 200 || text != "hello <b>" {
		t.Errorf("%d %s", status, text)
	}
	for _, path := range []string{".env", "../outside", "/etc/passwd", "sub/../../outside", ".git/config", ".rein/settings.json", "%2e%2e/outside", "a.txt\x00", "nothing", ""} {
		for _, what := range []string{"text", "download"} {
			status, text := v.request("GET", "/v1/files/"+what+"?path="+url.QueryEscape(path), "")
			if status != 403 && status != 404 || strings.Contains(text, "abcdef") {
				t.Errorf("%s of %q: %d %s", what, path, status, text)
			}
		}
	}
	other, err := v.server.Auth().Add(User{Name: "other", Role: roleOperator, Workspaces: []string{t.TempDir()}})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/v1/files", "/v1/files/text?path=a.txt", "/v1/changes", "/v1/git?dir=" + url.QueryEscape(h.dir), "/v1/files?dir=" + url.QueryEscape(h.dir)} {
		if status, text := v.request("GET", path, "", header("Authorization", "Bearer "+other)); status != 404 {
			t.Errorf("%s by a user of another workspace: %d %s", path, status, text)
		}
	}
}

// A workspace is compared with git; files that may hold secrets have no text, nor has what is not shown elsewhere.
func TestAWorkspaceIsComparedWithGit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	h := newHome(t, "turns: [{text: hi}]")
	v := h.start()
	if none := ask[api.GitChanges](v, "GET", "/v1/git", nil); none.Repository || len(none.Files) != 0 {
		t.Errorf("no repository: %+v", none)
	}
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", h.dir, "-c", "user.name=A", "-c", "user.email=a@b"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v %s", args, err, out)
		}
	}
	h.write("a.txt", "one\n")
	h.write("key.pem", "old\n")
	h.write("moved.txt", "three\nfour\nfive\n")
	git("init", "-q", "-b", "main")
	git("add", ".")
	git("commit", "-q", "-m", "first")
	h.write("a.txt", "two\n")
	h.write("key.pem", "hidden-text\n")
	h.write("new.txt", "<b>")
	h.write(".env", "KEY=hidden-text\n")
	git("mv", "moved.txt", "here.txt")
	got := ask[api.GitChanges](v, "GET", "/v1/git", nil)
	want := []api.File{
		{Path: "a.txt", What: "changed", Added: 1, Removed: 1, Diff: "@@ -1 +1 @@\n-one\n+two\n"},
		{Path: "here.txt", From: "moved.txt", What: "moved"},
		{Path: "key.pem", What: "changed", Added: 1, Removed: 1, Hidden: true},
		{Path: ".env", What: "untracked", Hidden: true},
		{Path: "new.txt", What: "untracked", Added: 1, Diff: "@@ -0,0 +1,1 @@\n+<b>\n\\ No newline at end of file\n"},
	}
	if !got.Repository || got.Branch != "main" || got.Commit == "" || got.More || !slices.Equal(got.Files, want) {
		t.Errorf("%+v", got)
	}
}

// What a session changed is shown as one change for each file, without the text of files that may hold secrets.
func TestChangesOfASession(t *testing.T) {
	v := newHome(t, `turns:
  - calls: [{name: write_file, args: {path: a.txt, content: "one\n"}}, {name: write_file, args: {path: key.pem, content: "hidden-text\n"}}]
  - calls: [{name: edit_file, args: {path: a.txt, old_text: one, new_text: two}}]
  - text: done
`).start()
	s := ask[api.Session](v, "POST", "/v1/sessions", api.NewSession{Text: "go", Mode: "full"})
	v.until("the end", func() bool {
		for _, r := range ask[api.Requests](v, "GET", "/v1/inbox", nil).Requests {
			v.request("POST", "/v1/inbox/"+r.Session+"/"+r.Call, `{"choice":"approved","hash":"`+r.Hash+`"}`)
		}
		return ask[api.Session](v, "GET", "/v1/sessions/"+s.ID, nil).State == api.Idle
	})
	for _, path := range []string{"/v1/sessions/" + s.ID + "/changes", "/v1/changes"} {
		all := map[string]api.File{}
		for _, f := range ask[api.Changes](v, "GET", path, nil).Files {
			all[f.Path] = f
		}
		if a := all["a.txt"]; !strings.Contains(a.Diff, "+two") || strings.Contains(a.Diff, "one") || a.Hidden {
			t.Errorf("%s: %+v", path, a)
		}
		if k, ok := all["key.pem"]; ok && (k.Diff != "" || !k.Hidden) {
			t.Errorf("%s: %+v", path, k)
		}
	}
}

// The files of a message that is taken back, or dropped when the turn is stopped, wait again: also those of one for the next request, and after a restart.
func TestAnAttachmentOfADroppedMessageWaitsAgain(t *testing.T) {
	h := newHome(t, "turns: [{calls: [{name: bash, args: {command: sleep 60}}]}, {text: stopped}, {expect: {contains: words of the file}, text: read}]")
	v := h.start()
	s := ask[api.Session](v, "POST", "/v1/sessions", api.NewSession{Text: "go", Mode: "full"})
	path := "/v1/sessions/" + s.ID
	v.until("the command runs", func() bool { return ask[api.Session](v, "GET", path, nil).Calls == 1 })
	var files []api.Attachment
	for i, steer := range []bool{false, true, false} {
		f := ask[api.Attachment](v, "POST", path+"/attachments", api.Upload{Name: fmt.Sprintf("%d.txt", i), Data: []byte("words of the file")})
		files = append(files, f)
		ask[api.Sent](v, "POST", path+"/messages", api.NewMessage{ID: fmt.Sprint("m", i), Text: "look", Steer: steer, Attachments: []string{f.ID}})
	}
	for _, q := range ask[api.Session](v, "GET", path, nil).Queued {
		if q.Text != "look" || len(q.Attached) != 1 || !slices.Contains(files, q.Attached[0]) {
			t.Errorf("%+v", q)
		}
	}
	if q := ask[api.Queued](v, "DELETE", path+"/messages/m0", nil); len(q.Attached) != 1 || q.Attached[0] != files[0] {
		t.Errorf("%+v", q)
	}
	ask[api.Session](v, "POST", path+"/cancel", nil)
	v.state(s.ID, api.Cancelled)
	ask[api.Sent](v, "POST", path+"/messages", api.NewMessage{Text: "look", Attachments: []string{files[0].ID, files[1].ID, files[2].ID}})
	v.state(s.ID, api.Idle)
}

// A file is uploaded and goes with the message that names it, once.
func TestAnAttachmentGoesWithAMessage(t *testing.T) {
	v := newHome(t, "turns: [{expect: {contains: \"words of the file\"}, text: read}, {text: no}]").start()
	s := ask[api.Session](v, "POST", "/v1/sessions", api.NewSession{})
	path := "/v1/sessions/" + s.ID
	text := ask[api.Attachment](v, "POST", path+"/attachments", api.Upload{Name: "..\\x/notes.txt", Data: []byte("words of the file\n```\n")})
	image := ask[api.Attachment](v, "POST", path+"/attachments", api.Upload{Name: "a.png", Data: []byte("\x89PNG\x0d\x0a\x1a\x0a0000")})
	if text.Name != "notes.txt" || text.Type != "text/plain" || image.Type != "image/png" {
		t.Errorf("%+v %+v", text, image)
	}
	message := api.NewMessage{Text: "look", Attachments: []string{text.ID, image.ID}}
	ask[api.Sent](v, "POST", path+"/messages", message)
	v.state(s.ID, api.Idle)
	prompted := ""
	for _, e := range ask[api.Events](v, "GET", path+"/events", nil).Events {
		if e.Kind == event.Prompted {
			prompted = e.Text
		}
	}
	if !strings.Contains(prompted, "look\n\nFile notes.txt:\n````\nwords of the file\n```\n````") {
		t.Errorf("%q", prompted)
	}
	if status, text := v.request("POST", path+"/messages", `{"text":"again","attachments":["`+text.ID+`"]}`); status != 422 {
		t.Errorf("a second time: %d %s", status, text)
	}
	for name, data := range map[string][]byte{"a program": {0x7f, 'E', 'L', 'F', 0}, "a long text": []byte(strings.Repeat("x", mostText+1))} {
		if status, text := v.request("POST", path+"/attachments", `{"name":"x","data":"`+base64.StdEncoding.EncodeToString(data)+`"}`); status != 422 {
			t.Errorf("%s: %d %s", name, status, text)
		}
	}
	large := `{"name":"x","data":"` + strings.Repeat("A", int(v.server.config.limits().uploadBody())) + `"}`
	if status, text := v.request("POST", path+"/attachments", large); status != 413 || !strings.Contains(text, "at most 10485760 bytes") {
		t.Errorf("too large: %d %.200s", status, text)
	}
	if status, text := v.request("POST", path+"/messages", large); status != 413 {
		t.Errorf("too large for a message: %d %.200s", status, text)
	}
}
