package acp

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// typescriptSDK is the package of npm whose client drives rein.
const typescriptSDK = "@agentclientprotocol/sdk@2.4.0"

// TestTypeScriptClient: a client made with the TypeScript SDK uses all that the program serves: permission requests with each
// kind of answer, cancels while rein asks and while a command runs, files, terminals, modes, load, resume and list.
func TestTypeScriptClient(t *testing.T) {
	if testing.Short() {
		t.Skip("short: npm and the program are not started")
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Skip("NOT RUN: npm is not installed, so no client of the TypeScript SDK drives rein acp")
	}
	dir := t.TempDir()
	install := exec.Command(npm, "install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", dir, typescriptSDK)
	if out, err := install.CombinedOutput(); err != nil {
		t.Skipf("NOT RUN: npm does not install %s, so no client of the TypeScript SDK drives rein acp: %v\n%.500s", typescriptSDK, err, out)
	}
	program := filepath.Join(dir, "rein")
	if out, err := exec.Command("go", "build", "-o", program, "rein/cmd/rein").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	script, err := os.ReadFile("testdata/client.mjs")
	if err != nil {
		t.Fatal(err)
	}
	answers, err := os.ReadFile("testdata/client.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{"client.mjs": script, "answers.yaml": answers} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ws := filepath.Join(t.TempDir(), "ws")
	if err := os.Mkdir(ws, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(ws, "a.txt"), []byte("hello\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	run := exec.Command("node", "client.mjs", program, ws, "--acp", "--model", "script/"+filepath.Join(dir, "answers.yaml"), "--ask", "bash")
	run.Dir, run.Stderr = dir, os.Stderr
	run.Env = append(os.Environ(), "REIN_HOME="+t.TempDir())
	out, err := run.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var seen struct {
		Agent, Text, Mode, Loaded       string
		Modes, Options, Updates, Writes []string
		Wrong                           []string
		Listed, Left, Terminals         int
		Stops                           map[string]string
		Asked                           []struct{ Title string }
	}
	if err := json.Unmarshal(out, &seen); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for name, want := range map[string]string{"once": "end_turn", "rejected": "end_turn", "nonsense": "end_turn", "cancelled while it asks": "cancelled",
		"cancelled while it runs": "cancelled", "edit": "end_turn", "after resume": "end_turn"} {
		if seen.Stops[name] != want {
			t.Errorf("%s: %q", name, seen.Stops[name])
		}
	}
	if seen.Agent != "rein" || !strings.HasPrefix(seen.Text, "One. Done. ") || !strings.HasSuffix(seen.Text, "Six. ") || seen.Loaded == "" || seen.Mode != "supervised" ||
		seen.Listed != 1 || seen.Left != 0 || seen.Terminals < 1 || len(seen.Asked) != 6 || seen.Asked[0].Title != "touch once" || !slices.Equal(seen.Options, []string{"mode", "model"}) ||
		!slices.Equal(seen.Wrong, []string{"no such session: -32002", "no cwd: -32602"}) || len(seen.Writes) != 1 || !slices.Contains(seen.Updates, "plan") || !slices.Contains(seen.Updates, "current_mode_update") {
		t.Errorf("the client saw %s", out)
	}
	for name, there := range map[string]bool{"once": true, "always": false, "a.txt": true} {
		if _, err := os.Stat(filepath.Join(ws, name)); (err == nil) != there {
			t.Errorf("%s is there: %v", name, err == nil)
		}
	}
	if text, _ := os.ReadFile(filepath.Join(ws, "a.txt")); string(text) != "bye\n" {
		t.Errorf("the edited file has %q", text)
	}
}
