package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestInspector: the public inspector uses rein mcp serve. REIN_MCP_NPM names a directory with node@22 and
// @modelcontextprotocol/inspector of npm.
func TestInspector(t *testing.T) {
	bin := filepath.Join(os.Getenv("REIN_MCP_NPM"), "node_modules", ".bin")
	inspector := filepath.Join(bin, "mcp-inspector")
	if _, err := os.Stat(inspector); os.Getenv("REIN_MCP_NPM") == "" || err != nil {
		t.Skip("SKIPPED: the inspector is not used: install node@22 and @modelcontextprotocol/inspector in a directory and name it in REIN_MCP_NPM")
	}
	program := filepath.Join(t.TempDir(), "rein")
	if out, err := exec.Command("go", "build", "-o", program, "rein/cmd/rein").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("hello\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct{ args, want string }{
		{"--method tools/list", `"name": "read_file"`},
		{"--method tools/call --tool-name read_file --tool-arg path=a.txt", `hello`},
		{"--method tools/call --tool-name judge_command --tool-arg command=ls", `"decision": "allow"`},
		{"--method resources/read --uri rein://session/journal", `started`},
		{"--method resources/templates/list", `rein://output/{+ref}`},
		{"--method prompts/list", `"prompts"`},
	} {
		cmd := exec.CommandContext(t.Context(), inspector, append([]string{"--cli", program, "mcp", "serve"}, strings.Fields(row.args)...)...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "REIN_HOME="+t.TempDir(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), row.want) {
			t.Errorf("%s: %v\n%.2000s", row.args, err, out)
		}
	}
}
