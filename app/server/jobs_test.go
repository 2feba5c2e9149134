package server

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rein/app/server/api"
)

// A job is listed, its output comes in parts without gaps, and it can be stopped. Users of other workspaces see nothing.
func TestJobs(t *testing.T) {
	v := newHome(t, `turns:
  - calls: [{name: bash, args: {command: "echo begin; i=0; while [ $i -lt 200 ]; do echo line $i; i=$((i+1)); sleep 0.01; done; printf half; : > ready; sleep 300", background: true}}]
  - text: it runs
`).start()
	s := ask[api.Session](v, "POST", "/v1/sessions", api.NewSession{Text: "go", Mode: "full"})
	v.state(s.ID, api.Idle)
	list := ask[[]api.Job](v, "GET", "/v1/jobs", nil)
	if len(list) != 1 || !list[0].Running || list[0].Session != s.ID || list[0].Title != "go" || !strings.Contains(list[0].Command, "echo begin") {
		t.Fatalf("%+v", list)
	}
	path, text, from := "/v1/sessions/"+s.ID+"/jobs/"+list[0].ID, "", int64(0)
	v.until("all lines", func() bool {
		o := ask[api.JobOutput](v, "GET", fmt.Sprintf("%s?from=%d", path, from), nil)
		if o.From != from {
			t.Errorf("asked for %d, got %d", from, o.From)
		}
		text, from = text+o.Text, o.Next
		return strings.HasSuffix(text, "line 199\n")
	})
	if strings.Count(text, "\n") != 201 || !strings.HasPrefix(text, "begin\nline 0\n") {
		t.Errorf("%d lines: %.100q", strings.Count(text, "\n"), text)
	}
	other, err := v.server.Auth().Add(User{Name: "other", Role: roleOperator, Workspaces: []string{t.TempDir()}})
	if err != nil {
		t.Fatal(err)
	}
	if status, text := v.request("GET", "/v1/jobs", "", header("Authorization", "Bearer "+other)); status != 200 || strings.TrimSpace(text) != "[]" {
		t.Errorf("%d %s", status, text)
	}
	for method, p := range map[string]string{"GET": path, "POST": path + "/stop"} {
		if status, text := v.request(method, p, "", header("Authorization", "Bearer "+other)); status != 404 {
			t.Errorf("%s by a user of another workspace: %d %s", p, status, text)
		}
	}
	v.until("the unfinished line", func() bool {
		_, err := os.Stat(filepath.Join(v.home.dir, "ready"))
		return err == nil
	})
	ask[api.Job](v, "POST", path+"/stop", nil)
	v.until("the end", func() bool { return !ask[[]api.Job](v, "GET", "/v1/jobs", nil)[0].Running })
	if o := ask[api.JobOutput](v, "GET", fmt.Sprintf("%s?from=%d", path, from), nil); o.Text != "half" || o.Job.Signal == "" {
		t.Errorf("%+v", o)
	}
	if status, text := v.request("POST", path+"/stop", ""); status != 409 {
		t.Errorf("a second time: %d %s", status, text)
	}
	if status, text := v.request("GET", "/v1/sessions/"+s.ID+"/jobs/nothing", ""); status != 404 {
		t.Errorf("%d %s", status, text)
	}
}
