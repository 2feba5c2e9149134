package main

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"rein/app/harness"
	"rein/app/settings"
	"rein/tool"
)

// TestServersOfNPM uses four servers of others from npm, each in the sandbox, through the whole pipeline. It needs node and
// npm, and the registry: without them it is skipped. REIN_MCP_NPM names a directory in which they are installed already.
func TestServersOfNPM(t *testing.T) {
	if testing.Short() || runtime.GOOS == "windows" {
		t.Skip("installs packages")
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("SKIPPED: no server of npm is tested, because node is missing")
	}
	root := os.Getenv("REIN_MCP_NPM")
	if root == "" {
		t.Skip("SKIPPED: no server of npm is tested: install @modelcontextprotocol/server-{everything,filesystem,memory,sequential-thinking} in a directory and name it in REIN_MCP_NPM")
	}
	work := t.TempDir()
	if err := os.CopyFS(filepath.Join(work, "node_modules"), os.DirFS(filepath.Join(root, "node_modules"))); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(work, "a.txt"), []byte("text of a\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	servers := map[string]any{}
	for name, args := range map[string][]string{"everything": nil, "filesystem": {work}, "memory": nil, "sequential-thinking": nil} {
		servers[name] = map[string]any{"command": node, "start": "required", "args": append([]string{"node_modules/@modelcontextprotocol/server-" + name + "/dist/index.js"}, args...)}
	}
	s := using(t, work, servers)
	rows := []struct{ name, args, says string }{
		{"mcp__everything__echo", `{"message":"hello"}`, "hello"},
		{"mcp__everything__get-sum", `{"a":2,"b":3}`, "5"},
		{"mcp__everything__get-tiny-image", `{}`, "image"},
		{"mcp__everything__get-structured-content", `{"location":"New York"}`, "temperature"},
		{"mcp__everything__get-resource-links", `{"count":2}`, "demo://resource"},
		{"mcp__everything__get-annotated-message", `{"messageType":"error","includeImage":true}`, "error"},
		{"mcp__everything__get-roots-list", `{}`, work},
		{"mcp__everything__trigger-long-running-operation", `{"duration":0.2,"steps":2}`, "completed"},
		{"mcp__everything__get-env", `{}`, "PATH"},
		{"mcp__filesystem__read_text_file", `{"path":"` + work + `/a.txt"}`, "text of a"},
		{"mcp__filesystem__read_text_file", `{"path":"/etc/passwd"}`, "denied"},
		{"mcp__memory__create_entities", `{"entities":[{"name":"Mei","entityType":"person","observations":["likes tea"]}]}`, "Mei"},
		{"mcp__sequential-thinking__sequentialthinking", `{"thought":"one","nextThoughtNeeded":false,"thoughtNumber":1,"totalThoughts":1}`, "thoughtNumber"},
	}
	for i, row := range rows {
		results, err := s.Call(t.Context(), []tool.Call{{ID: string(rune('a' + i)), Name: row.name, Args: []byte(row.args)}}, nil)
		if err != nil || len(results) != 1 || !strings.Contains(strings.ToLower(results[0].Text), strings.ToLower(row.says)) {
			t.Errorf("%s %s: %+v, %v", row.name, row.args, results, err)
			continue
		}
		if strings.Contains(results[0].Text, "REIN_MCP_NPM") {
			t.Errorf("%s sees the environment of rein: %s", row.name, results[0].Text)
		}
	}
}

// using opens a session without a model that may do all, in a directory, with tool servers that are connected.
func using(t *testing.T, work string, servers map[string]any) *harness.Session {
	t.Helper()
	file := filepath.Join(work, "servers.json")
	text, err := json.Marshal(map[string]any{"mcpServers": servers})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	h, err := harness.Open(t.Context(), harness.Options{Dir: work, Terms: harness.Terms{Mode: "full"},
		MCPConfig: []string{file}, Dirs: settings.Dirs{Config: home + "/config", Sessions: home + "/sessions", Output: home + "/output", Private: home + "/private", State: home + "/state"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close(context.WithoutCancel(t.Context())) })
	s, err := h.Start(t.Context(), harness.NewSession{NoModel: true})
	if err != nil {
		t.Fatal(err)
	}
	s.Tools().Later(t.Context(), nil) // starts them
	for name := range servers {       // a busy machine needs more than the two seconds that a first request waits
		server := s.ToolServers().Server(name)
		for deadline := time.Now().Add(time.Minute); server.State() != "connected"; time.Sleep(50 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("%s is %s: %s", name, server.State(), server.Stderr())
			}
		}
	}
	return s
}
