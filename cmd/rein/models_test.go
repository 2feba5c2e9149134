package main

import (
	"bytes"
	"encoding/json"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rein/kit/catalog"
	"rein/kit/providers"
	"rein/kit/script"
	"rein/lab/modelserver"
)

func TestTheListOfModels(t *testing.T) {
	home := t.TempDir()
	t.Setenv("REIN_HOME", home)
	for _, name := range []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "GEMINI_API_KEY", "GOOGLE_API_KEY", "OPENROUTER_API_KEY", "OPENAI_API_KEY"} {
		t.Setenv(name, "")
	}
	for _, name := range []string{"OLLAMA_HOST", "LMSTUDIO_BASE_URL", "LLAMACPP_BASE_URL", "VLLM_BASE_URL"} {
		t.Setenv(name, "http://127.0.0.1:1")
	}
	list := func(args ...string) string {
		t.Helper()
		var out, err bytes.Buffer
		cmd := newModels()
		cmd.SetOut(&out)
		cmd.SetErr(&err)
		cmd.SetContext(t.Context())
		cmd.SetArgs(append(args, "--cwd", home))
		if e := cmd.Execute(); e != nil {
			t.Fatal(e)
		}
		return out.String() + err.String()
	}
	if got := list(); !strings.HasPrefix(got, "no model: ") {
		t.Errorf("without a key: %s", got)
	}
	t.Setenv("OPENAI_API_KEY", "k")
	if got := list("gpt-5-mini"); !strings.Contains(got, "openai/gpt-5-mini") || strings.Contains(got, "gpt-4") || !strings.Contains(got, "catalogue") {
		t.Errorf("one word: %s", got)
	}
	text := `{"models":{"openai/gpt-5":{"limit":{"context":7000},"cost":{"input":9,"output":99}}}}`
	if err := os.MkdirAll(filepath.Join(home, "config"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"settings.json", "config/settings.json"} {
		if err := os.WriteFile(filepath.Join(home, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	found := false
	for line := range strings.Lines(list("--json")) {
		var m catalog.Model
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if m.Provider == "openai" && m.ID == "gpt-5" {
			found = m.Limit.Context == 7000 && m.Cost.Output == 99 && m.Source == catalog.Settings
		}
	}
	if !found {
		t.Error("the settings' facts are not in the list")
	}
}

// TestTest tests a model of a local server that can only write one word, and one that is not there.
func TestTest(t *testing.T) {
	home := t.TempDir()
	t.Setenv("REIN_HOME", home)
	srv := httptest.NewServer(&modelserver.Server{Script: &script.Script{Turns: []script.Turn{{Text: "Ready.", Repeat: 9}}}})
	defer srv.Close()
	t.Setenv("COMPATIBLE_BASE_URL", srv.URL+"/v1")
	t.Setenv("OPENAI_API_KEY", "")
	run := func(args ...string) (string, int) {
		t.Helper()
		var out, warned bytes.Buffer
		cmd := newModels()
		cmd.SetOut(&out)
		cmd.SetErr(&warned)
		cmd.SilenceErrors, cmd.SilenceUsage = true, true
		cmd.SetContext(t.Context())
		cmd.SetArgs(append([]string{"test", "--cwd", home}, args...))
		err := cmd.Execute()
		return out.String(), exitCode(err)
	}
	out, code := run("compatible/m")
	if code != exitError || !strings.Contains(out, "text      works") || !strings.Contains(out, `call      missing`) || !strings.Contains(out, "image     skipped") || !strings.Contains(out, "tokens sent") {
		t.Errorf("exit code %d:\n%s", code, out)
	}
	out, _ = run("compatible/m", "--json")
	for i, line := range strings.Split(strings.TrimSpace(out), "\n") {
		var c providers.ProbeCheck
		if err := json.Unmarshal([]byte(line), &c); err != nil || i == 0 && (c.Name != "text" || c.State != providers.ProbeWorks || c.Requests != 1 || c.Usage.Output == 0) {
			t.Errorf("%v: %s", err, line)
		}
	}
	for ref, want := range map[string]int{"openai/gpt-5": exitAuth, "nobody/m": exitUsage} {
		if _, code := run(ref); code != want {
			t.Errorf("%s: exit code %d, want %d", ref, code, want)
		}
	}
}
