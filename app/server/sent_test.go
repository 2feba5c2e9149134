package server

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rein/app/server/api"
	"rein/event"
)

// A file is given to who may read the workspace, as a download, and only the file that a call showed.
func TestASentFileIsDownloaded(t *testing.T) {
	v := newHome(t, `turns:
  - calls: [{name: write_file, args: {path: a.html, content: "<script>1</script>"}}, {name: send_file, args: {path: a.html}}, {name: read_file, args: {path: a.html}}, {name: send_file, args: {path: none}}]
  - text: done
`).start()
	s := ask[api.Session](v, "POST", "/v1/sessions", api.NewSession{Text: "go", Mode: "full"})
	v.state(s.ID, api.Idle)
	var calls []string
	for _, e := range ask[api.Events](v, "GET", "/v1/sessions/"+s.ID+"/events", nil).Events {
		if e.Kind == event.Called {
			calls = append(calls, e.Call.ID)
		}
	}
	if len(calls) != 4 {
		t.Fatal(calls)
	}
	path := func(call string) string { return "/v1/sessions/" + s.ID + "/files/" + call }
	r, err := http.NewRequestWithContext(t.Context(), "GET", v.url+path(calls[1]), nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+v.key)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	for name, want := range map[string]string{"Content-Type": "application/octet-stream", "Content-Disposition": "attachment; filename=a.html",
		"Content-Security-Policy": "sandbox; default-src 'none'", "X-Content-Type-Options": "nosniff"} {
		if got := answer.Header.Get(name); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
	if status, text := v.request("GET", path(calls[1]), ""); status != http.StatusOK || text != "<script>1</script>" {
		t.Errorf("%d %s", status, text)
	}
	for _, call := range []string{calls[0], calls[2], calls[3], "nothing"} {
		if status, text := v.request("GET", path(call), ""); status != http.StatusNotFound {
			t.Errorf("%s: %d %s", call, status, text)
		}
	}
	name := filepath.Join(v.home.dir, "a.html")
	other := filepath.Join(v.home.dir, "other")
	outside := filepath.Join(t.TempDir(), "secret")
	for _, target := range []string{other, outside} {
		if err := os.WriteFile(target, []byte("another"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, name); err != nil {
			t.Skip(err)
		}
		if status, text := v.request("GET", path(calls[1]), ""); status != http.StatusNotFound {
			t.Errorf("a link to %s: %d %s", target, status, text)
		}
	}
}

// A whole output has no secrets, and no part of one that lies at the end of what is given.
func TestAWholeOutputHasNoPartOfASecret(t *testing.T) {
	const token = "ghp_Zk3vQ9xLm2Tb7Wc5Rd8Ny1Hf4Js6Pa0UeGiO"
	v := newHome(t, `turns: [{calls: [{name: bash, args: {command: "seq 1 40000; echo a=gh''p_Zk3vQ9xLm2Tb7Wc5Rd8Ny1Hf4Js6Pa0UeGiO; seq 1 40000"}}]}, {text: done}]`).start()
	s := ask[api.Session](v, "POST", "/v1/sessions", api.NewSession{Text: "go", Mode: "full"})
	v.state(s.ID, api.Idle)
	call := ""
	for _, e := range ask[api.Events](v, "GET", "/v1/sessions/"+s.ID+"/events", nil).Events {
		if e.Kind == event.Replied {
			call = e.Call.ID
		}
	}
	status, text := v.request("GET", "/v1/sessions/"+s.ID+"/outputs/"+call, "")
	if status != http.StatusOK || !strings.Contains(text, "a=[hidden: ") || strings.Contains(text, token) || strings.Count(text, "\n40000\n") != 2 {
		_, after, _ := strings.Cut(text, "a=")
		t.Errorf("%d, %d bytes, and after a= %.100q", status, len(text), after)
	}
	const most = 1000
	for at := most - len(token) - 2; at < most+2; at++ {
		whole := strings.Repeat(" word", most)[:at] + " " + token + " " + strings.Repeat("word ", 64<<10)
		got, err := secretMask(v.server.rooms.mask).Start(strings.NewReader(whole), most)
		if err != nil || len(got) < most-len(token) || strings.Contains(string(got), token[:5]) {
			t.Fatalf("a token after %d bytes: %d bytes that end with %q, %v", at, len(got), got[len(got)-50:], err)
		}
	}
}
