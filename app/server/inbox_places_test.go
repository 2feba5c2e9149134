package server

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"rein/app/inbox"
	"rein/app/server/api"
	"rein/guard"
)

// TestAnApprovalOpensNoMoreThanItsUserMay: who sees only some workspaces approves no access to the files of others, for once, a session or the
// project; who sees all does.
func TestAnApprovalOpensNoMoreThanItsUserMay(t *testing.T) {
	for name, row := range map[string]struct {
		call string // %[1]s is the workspace that the user does not see, %[2]s one that is not served
		want int
	}{
		"a file of another workspace":    {`{name: request_access, args: {read: "%[1]s/data.txt", why: x}}`, 403},
		"another workspace":              {`{name: request_access, args: {write: "%[1]s", why: x}}`, 403},
		"a directory that is not served": {`{name: request_access, args: {read: "%[2]s", why: x}}`, 403},
		"a host":                         {`{name: request_access, args: {host: "example.org", why: x}}`, 200},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHome(t, "")
			root := filepath.Dir(h.dir)
			other, free := filepath.Join(root, "other"), filepath.Join(root, "free")
			for _, dir := range []string{other, free} {
				if err := os.Mkdir(dir, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			for file, text := range map[string]string{filepath.Join(other, "data.txt"): "x\n", filepath.Join(free, "x"): "x\n",
				h.script: "turns:\n  - calls: [" + fmt.Sprintf(row.call+"%.0[1]s%.0[2]s", other, free) + "]\n  - text: Done.\n"} {
				if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Symlink(other, filepath.Join(h.dir, "link")); err != nil {
				t.Fatal(err)
			}
			h.options.Workspaces = []string{h.dir, other}
			v := h.start()
			key := func(user User) string {
				k, err := v.server.Auth().Add(user)
				if err != nil {
					t.Fatal(err)
				}
				return "Bearer " + k
			}
			some := header("Authorization", key(User{Name: "sam", Role: roleOperator, Workspaces: []string{h.dir}}))
			all := header("Authorization", key(User{Name: "mei", Role: roleOperator}))
			ask[api.Session](v, "POST", "/v1/sessions", api.NewSession{Text: "go", Dir: h.dir})
			r := v.pending()
			scopes := []string{""}
			for _, s := range r.Scopes {
				scopes = append(scopes, `,"scope":"`+string(s.Scope)+`"`)
			}
			for _, scope := range scopes {
				if row.want == 200 && scope != "" {
					continue // it is answered
				}
				body := `{"choice":"approved","hash":"` + r.Hash + `"` + scope + `}`
				if status, text := v.request("POST", "/v1/inbox/"+r.Session+"/"+r.Call, body, some); status != row.want {
					t.Errorf("approval-25 who sees some%s: %d, want %d: %s", scope, status, row.want, text)
				}
			}
			if row.want == 200 {
				return
			}
			if status, text := v.request("POST", "/v1/inbox/"+r.Session+"/"+r.Call, `{"choice":"approved","hash":"`+r.Hash+`"}`, all); status != 200 {
				t.Errorf("who sees all: %d: %s", status, text)
			}
		})
	}
}

// TestACommandReachesNoOtherWorkspace: the same for the files that a command reads, writes or removes, also by a link and from above.
func TestACommandReachesNoOtherWorkspace(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	own, other, inner := filepath.Join(root, "own"), filepath.Join(root, "other"), filepath.Join(root, "own/inner")
	for _, dir := range []string{inner, other} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(other, filepath.Join(own, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(other, "new"), filepath.Join(own, "nowhere")); err != nil { // it leads to what is not there yet
		t.Fatal(err)
	}
	p := approvals{&allSessions{workspaces: &workspaces{all: []*servedWorkspace{{dir: own}, {dir: other}, {dir: inner}}}}}
	some := User{Name: "sam", Role: roleOperator, Workspaces: []string{own}}
	for path, refused := range map[string]bool{
		"a": false, own: false, filepath.Join(own, "a/b"): false, "/usr/share/x": false, other + "2/x": false,
		other: true, filepath.Join(other, "a"): true, filepath.Join(other, "*.go"): true, "../other/a": true, "link/a": true, "link/not/there": true, "nowhere": true, "nowhere/a": true, root: true, "/": true, "inner/a": true,
	} {
		for _, shown := range []guard.Request{{Reads: []string{path}}, {Writes: []string{path}}, {Removes: []string{path}}} {
			r := inbox.Request{Dir: own, Shown: shown}
			if err := p.allowedPlaces(some, r, api.Answer{Choice: "approved"}); (err != nil) != refused {
				t.Errorf("%s: %v, want refused: %v", path, err, refused)
			}
			if err := p.allowedPlaces(some, r, api.Answer{Choice: "denied"}); err != nil {
				t.Errorf("%s cannot be denied: %v", path, err)
			}
			if err := p.allowedPlaces(User{Role: roleApprover}, r, api.Answer{Choice: "approved"}); err != nil {
				t.Errorf("%s, by who sees all: %v", path, err)
			}
		}
	}
}
