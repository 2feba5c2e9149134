package main

import (
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"rein/kit/script"
	"rein/lab/modelserver"
)

// TestCodexUsesOurTools: codex has rein mcp serve as a tool server, and its model gets what the tools say. The model is a script, which
// fails where the result is not what it expects. REIN_MCP_NPM names a directory with @openai/codex of npm.
func TestCodexUsesOurTools(t *testing.T) {
	codex := filepath.Join(os.Getenv("REIN_MCP_NPM"), "node_modules", ".bin", "codex")
	if _, err := os.Stat(codex); os.Getenv("REIN_MCP_NPM") == "" || err != nil {
		t.Skip("SKIPPED: codex is not used: install @openai/codex in a directory and name it in REIN_MCP_NPM")
	}
	home, work := t.TempDir(), t.TempDir()
	program := filepath.Join(home, "rein")
	if out, err := exec.Command("go", "build", "-o", program, "rein/cmd/rein").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := os.WriteFile(filepath.Join(work, "a.txt"), []byte("the first line\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	said, err := script.Parse([]byte(`turns:
- calls: [{name: mcp__rein.read_file, args: {path: a.txt}}]
- {expect: {contains: the first line}, calls: [{name: mcp__rein.bash, args: {command: "echo $((6*7))"}}]}
- {expect: {contains: "42"}, text: Both tools answered.}
`))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(&modelserver.Server{Script: said})
	defer server.Close()
	config := `model = "mock-model"
model_provider = "mock"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.mock]
name = "mock"
base_url = "` + server.URL + `/v1"
wire_api = "responses"
env_key = "MOCK_KEY"
request_max_retries = 0
stream_max_retries = 0
[mcp_servers.rein]
command = "` + program + `"
args = ["mcp", "serve"]
env = { REIN_HOME = "` + home + `/rein-home" }
default_tools_approval_mode = "approve"
`
	if err := os.MkdirAll(filepath.Join(home, ".codex"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, ".codex", "config.toml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), codex, "exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "use the tools")
	cmd.Dir, cmd.Env = work, append(os.Environ(), "HOME="+home, "CODEX_HOME="+filepath.Join(home, ".codex"), "MOCK_KEY=k")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "Both tools answered.") {
		t.Errorf("%v\n%s", err, out)
	}
}
