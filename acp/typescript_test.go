package acp

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// typescriptSDK is the package of npm whose client drives rein.
const typescriptSDK = "@agentclientprotocol/sdk@2.4.0"

// TestTypeScriptClient: a client made with the TypeScript SDK runs a whole session of the program, with a permission request.
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
	answers := "turns: [{text: 'I begin.', calls: [{name: bash, args: {command: 'touch made'}}]}, {text: ' Done.'}]"
	for name, text := range map[string][]byte{"client.mjs": script, "answers.yaml": []byte(answers)} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ws := filepath.Join(dir, "ws")
	if err := os.Mkdir(ws, 0o700); err != nil {
		t.Fatal(err)
	}
	run := exec.Command("node", "client.mjs", program, ws, "--acp", "--model", "script/"+filepath.Join(dir, "answers.yaml"), "--ask", "bash")
	run.Dir, run.Stderr = dir, os.Stderr
	run.Env = append(os.Environ(), "REIN_HOME="+filepath.Join(dir, "home"))
	out, err := run.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var seen struct {
		Agent, Text, Stopped     string
		Modes, Options, Statuses []string
		Listed                   int
		Asked                    []struct {
			Title string
			Kinds []string
		}
	}
	if err := json.Unmarshal(out, &seen); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if seen.Agent != "rein" || seen.Text != "I begin. Done." || seen.Stopped != "end_turn" || seen.Listed != 1 || len(seen.Asked) != 1 ||
		seen.Asked[0].Title != "touch made" || !slices.Contains(seen.Statuses, "completed") || !slices.Equal(seen.Options, []string{"mode", "model"}) {
		t.Errorf("the client saw %s", out)
	}
	if _, err := os.Stat(filepath.Join(ws, "made")); err != nil {
		t.Error("the approved command did not run:", err)
	}
}
