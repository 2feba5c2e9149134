package harness

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rein/app/settings"
	"rein/event"
	"rein/guard"
)

// TestWhatHooksChangeOfSteeringFilesIsShown: a hook that makes files which run programs later is a program like any other. The user reads
// of it, whenever it runs: before and after a call, at the start and at the end.
func TestWhatHooksChangeOfSteeringFilesIsShown(t *testing.T) {
	for _, row := range []struct {
		name, hook, want string
		sandboxed        bool
	}{
		{"a free hook of git", `"PostToolUse":[{"hooks":[{"type":"command","command":"echo x > .git/hooks/pre-commit","sandbox":"off"}]}]`, `".git/hooks/pre-commit" (git runs it)`, false},
		{"before a call", `"PreToolUse":[{"hooks":[{"type":"command","command":"echo x > .envrc"}]}]`, `".envrc" (a shell runs it)`, true},
		{"a hook that nobody waits for", `"PostToolUse":[{"hooks":[{"type":"command","command":"sleep 0.1; echo x > .envrc","async":true}]}]`, `".envrc" (a shell runs it)`, true},
		{"at the start", `"SessionStart":[{"hooks":[{"type":"command","command":"mkdir .vscode; echo x > .vscode/tasks.json"}]}]`, `".vscode/tasks.json" (an editor or a container runs it)`, true},
		{"at the end", `"SessionEnd":[{"hooks":[{"type":"command","command":"echo x > .envrc"}]}]`, `".envrc" (a shell runs it)`, true},
		{"nothing that runs", `"PostToolUse":[{"hooks":[{"type":"command","command":"echo x > notes.txt"}]}]`, "", true},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Setenv("REIN_HOME", t.TempDir())
			put(t, filepath.Join(settings.DefaultDirs().Config, "settings.json"), `{"hooks":{`+row.hook+`}}`)
			dir := t.TempDir()
			put(t, filepath.Join(dir, ".git", "HEAD"), "ref: refs/heads/main\n")
			if err := os.MkdirAll(filepath.Join(dir, ".git", "hooks"), 0o755); err != nil {
				t.Fatal(err)
			}
			h, err := Open(t.Context(), Options{Dir: dir, Terms: event.Terms{Mode: "full"}})
			if err != nil {
				t.Fatal(err)
			}
			var shown []string
			s, err := h.Start(t.Context(), NewSession{Model: cast(t, map[string]string{"": asks(`{name: list_dir, args: {path: "."}}`)}), Recorded: func(e event.Event) {
				if e.Kind == event.Notice && strings.HasPrefix(e.Text, "The hook ") {
					shown = append(shown, e.Text)
				}
			}})
			if err != nil {
				t.Fatal(err)
			}
			if row.sandboxed && s.isolation() == guard.NoIsolation {
				t.Skip("no sandbox works here")
			}
			sendAll(t, s, "go")
			if err := h.Close(context.Background()); err != nil {
				t.Fatal(err)
			}
			if row.want == "" && len(shown) > 0 || row.want != "" && !slices.ContainsFunc(shown, func(text string) bool { return strings.HasSuffix(text, row.want) }) {
				t.Errorf("shown %q, want one that ends with %s", shown, row.want)
			}
		})
	}
}
