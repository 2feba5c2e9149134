package mcp

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

func TestParse(t *testing.T) {
	entries, warnings, err := parseConfig([]byte(`{"mcpServers": {
		"b": {"command": "npx", "args": ["-y", "x"], "timeout": 1500, "startTimeout": "2s"},
		"a": {"type": "http", "url": "https://example.com/mcp", "headers": {"Authorization": "Bearer ${TOKEN}", "X": "secret"}},
		"bad": {"type": "ws", "url": "wss://x"},
		"both": {"command": "x", "url": "https://x"},
		"odd": {"command": 3},
		"text": "npx",
		"free": {"command": "x", "sandbox": "off"}
	}}`), ProjectScope, ".mcp.json")
	if err != nil || len(entries) != 2 || entries[0].Name != "a" || entries[1].Kind() != "stdio" {
		t.Fatalf("%+v, %v", entries, err)
	}
	if b := entries[1]; time.Duration(b.Timeout) != 1500*time.Millisecond || time.Duration(b.StartTimeout) != 2*time.Second {
		t.Errorf("times: %v %v", b.Timeout, b.StartTimeout)
	}
	all := ""
	for _, w := range warnings {
		all += w.Error() + "\n"
	}
	if strings.Contains(all, " json: ") || strings.Contains(all, "config.Entry") {
		t.Errorf("words of the library:\n%s", all)
	}
	for _, want := range []string{`"text": expected an object, not string`, `"ws" is not supported`, "a command and a url", "command: expected a text, not number", "only your own settings"} {
		if !strings.Contains(all, want) {
			t.Errorf("no warning has %q:\n%s", want, all)
		}
	}
	shown, _ := json.Marshal(entries[0].Shown())
	if strings.Contains(string(shown), "secret") || !strings.Contains(string(shown), "${TOKEN}") {
		t.Errorf("shown: %s", shown)
	}
}

func TestExpand(t *testing.T) {
	lookup := func(name string) (string, bool) { return "value", name == "SET" }
	e := ServerEntry{Name: "x", Command: "~/bin/x", Args: []string{"${workspaceFolder}/a", "${SET}", "${UNSET:-else}", "${env:SET}", "$5"}}
	got, err := e.Expand("/w", "/h", lookup)
	if err != nil || got.Command != "/h/bin/x" || strings.Join(got.Args, " ") != "/w/a value else value $5" {
		t.Errorf("%+v, %v", got, err)
	}
	if e.Args[1] != "${SET}" {
		t.Error("the entry itself was changed")
	}
	if _, err := (ServerEntry{Name: "x", Headers: map[string]string{"Authorization": "Bearer ${UNSET}"}}).Expand("/w", "/h", lookup); err == nil || !strings.Contains(err.Error(), "UNSET is not set") {
		t.Errorf("an unset variable: %v", err)
	}
}

func TestImport(t *testing.T) {
	rows := []struct{ program, text, want, warns string }{
		{"claude", `{"projects": {"/w": {"mcpServers": {"a": {"command": "x", "args": ["1"]}}}}}`, `{"command":"x","args":["1"]}`, ""},
		{"codex", "[mcp_servers.a]\nurl = \"https://x/mcp\"\nbearer_token_env_var = \"T\"\ntool_timeout_sec = 9\nenabled = false\n", `{"url":"https://x/mcp","headers":{"Authorization":"Bearer ${T}"},"timeout":"9s","disabled":true}`, ""},
		{"gemini", `{"mcpServers": {"a": {"url": "https://x/sse", "trust": true, "timeout": 5000}}}`, `{"type":"sse","url":"https://x/sse","timeout":"5s"}`, "skips approvals"},
		{"gemini", `{"mcpServers": {"a": {"httpUrl": "https://x/mcp", "headers": {"K": "$KEY"}}}}`, `{"type":"http","url":"https://x/mcp","headers":{"K":"${KEY}"}}`, ""},
		{"vscode", `{"servers": {"a": {"type": "stdio", "command": "x", "env": {"K": "${input:api-key}"}}}} // comment
`, `{"command":"x","env":{"K":"${API_KEY}"}}`, "API_KEY"},
		{"opencode", `{"mcp": {"a": {"type": "local", "command": ["x", "y"], "environment": {"K": "{env:Z}"}, "enabled": true}}}`, `{"command":"x","args":["y"],"env":{"K":"${Z}"}}`, ""},
		{"crush", `{"mcp": {"a": {"command": "x", "env": {"K": "$(cat key)"}, "timeout": 3}}}`, `{"command":"x","env":{"K":"$(cat key)"},"timeout":"3s","disabled":true}`, "run a command"},
		{"cursor", `{"mcpServers": {"a": {"command": "x", "autoApprove": ["y"]}}}`, `{"command":"x"}`, "autoApprove"},
	}
	for _, row := range rows {
		entries, warnings, err := ImportServers(row.program, "file", []byte(row.text), "/w")
		if err != nil || len(entries) != 1 {
			t.Errorf("%s: %v, %v, %v", row.program, entries, warnings, err)
			continue
		}
		got, _ := json.Marshal(entries[0])
		if string(got) != row.want {
			t.Errorf("%s:\n got %s\nwant %s", row.program, got, row.want)
		}
		if all := strings.Join(warnings, "\n"); !strings.Contains(all, row.warns) || row.warns == "" && all != "" {
			t.Errorf("%s warns %q", row.program, all)
		}
	}
}
