package harness

import (
	"context"
	"database/sql"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"rein/app/memory"
	"rein/app/settings"
	"rein/event"
	"rein/tool"
)

// shortLived are the tools that wait for nothing that may never come, or whose wait for it is tested elsewhere: by their packages
// (language servers, browsers, ffmpeg), as a person who does not answer, or as a sub-agent. The runner gives each cancelled call its result
// within 200 ms, whatever the tool does: see toolcall.TestACancelGivesEveryCallAResult.
const shortLived = `agent* apply_patch ask_user browser_* calculate current_time edit_file git_* glob grep insert job_input job_kill list_dir lsp*
	memory_forget memory_list memory_recall notebook_edit notify present_plan read_file recall request_access schedule screenshot send_file session_search set_timezone skill todo
	token_usage tool_search undo_edit view_* write_file`

// TestACancelledCallEnds: what a tool waits for ends with its call. Nothing of it is left at work.
func TestACancelledCallEnds(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { // it never answers
		<-r.Context().Done()
	}))
	defer server.Close()
	t.Setenv("REIN_HOME", t.TempDir())
	put(t, filepath.Join(settings.DefaultDirs().Config, "settings.json"), `{"search":{"order":["searxng"],"engines":{"searxng":{"url":"`+server.URL+`"}}}}`)
	s := startCalls(t, Options{Dir: t.TempDir(), Terms: event.Terms{Sandbox: "auto"}, Person: &approveAll{}})

	rows := map[string]string{
		"bash":         `{"command":"sleep 1000"}`,
		"job_output":   `{"job":"job1","wait":300}`,
		"run_code":     `{"language":"bash","code":"sleep 1000"}`,
		"program":      `{"code":"bash(command='sleep 1000')"}`,
		"web_fetch":    fmt.Sprintf(`{"url":%q}`, server.URL),
		"http_request": fmt.Sprintf(`{"url":%q}`, server.URL),
		"web_search":   `{"query":"x"}`,
		"memory_store": `{"text":"x"}`, // another program has the store: it waits 5 s for it
	}
	for _, name := range settings.ToolNames() {
		listed := slices.ContainsFunc(strings.Fields(shortLived), func(pattern string) bool { ok, _ := path.Match(pattern, name); return ok })
		if _, has := rows[name]; has == listed {
			t.Errorf("%s: has a row: %v, is listed as one that ends by itself: %v", name, has, listed)
		}
	}
	if text := callText(t, s, "job", "bash", `{"command":"sleep 1000","background":true}`); !strings.Contains(text, "job1") {
		t.Fatal(text)
	}
	if text := callText(t, s, "m", "memory_store", `{"text":"something"}`); !strings.Contains(text, "m1") {
		t.Fatal(text)
	}
	db, err := sql.Open("sqlite", filepath.Join(s.h.dirs.State, memory.FileName))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("BEGIN EXCLUSIVE"); err != nil { // another program has the store
		t.Fatal(err)
	}
	for name, args := range rows {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			time.AfterFunc(300*time.Millisecond, cancel)
			results, err := s.Call(ctx, []tool.Call{{ID: "c-" + name, Name: name, Args: []byte(args)}}, nil)
			if err != nil || results[0].Kind != tool.Cancelled {
				t.Errorf("got %+v, %v", results, err)
			}
			ended := make(chan struct{})
			go func() { s.running.Wait(); close(ended) }()
			select {
			case <-ended:
			case <-time.After(60 * time.Second):
				t.Error("the tool is still at work")
			}
		})
	}
}
