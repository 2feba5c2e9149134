package main

import (
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// A checkout is what a service for continuous integration has made: a repository with the branch main of its origin, and a change that
// starts a sum at one. The settings name a model that finds it, and writes a command to the runner.
type checkout struct {
	t    *testing.T
	dir  string // the repository
	temp string // of the runner
	env  []string
}

func newCheckout(t *testing.T) *checkout {
	t.Helper()
	for _, name := range []string{"git", "bash"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip("SKIPPED: " + name + " is not installed")
		}
	}
	top := t.TempDir()
	c := &checkout{t: t, dir: filepath.Join(top, "repository"), temp: filepath.Join(top, "temp")}
	c.env = append(os.Environ(), "HOME="+top, "REIN_HOME="+filepath.Join(top, "home"), "GIT_CONFIG_GLOBAL="+os.DevNull)
	write := func(name, text string) {
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(top, "model.yaml"), "turns:\n  - expect: [{contains: 'n = 1'}]\n    text: '{\"summary\": \"::error::from the model\", \"findings\": ["+
		"{\"file\": \"sum.go\", \"line\": 4, \"severity\": \"error\", \"kind\": \"wrong-result\", \"title\": \"The sum starts at one\", \"text\": \"It is wrong.\"}]}'\n")
	write(filepath.Join(top, "home/config/settings.json"), `{"model": "script/`+filepath.ToSlash(filepath.Join(top, "model.yaml"))+`"}`)
	write(filepath.Join(c.temp, "keep"), "")
	write(filepath.Join(c.dir, "sum.go"), "package sum\n\nfunc sum(all []int) (n int) {\n\tfor _, v := range all {\n\t\tn += v\n\t}\n\treturn n\n}\n")
	c.sh("git init -q -b main && git config user.name Ada && git config user.email ada@example.com && git add . && git commit -qm first && git update-ref refs/remotes/origin/main HEAD && git switch -qc change")
	c.sh(`sed -i.old 's/^\tfor/\tn = 1\n&/' sum.go && rm sum.go.old && git commit -qam second`)
	return c
}

// sh runs a script as runners do, and returns what it printed and its exit code.
func (c *checkout) sh(script string, env ...string) (string, int) {
	c.t.Helper()
	cmd := exec.CommandContext(c.t.Context(), "bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script)
	cmd.Dir, cmd.Env = c.dir, append(slices.Clone(c.env), env...)
	out, err := cmd.CombinedOutput()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return string(out), exit.ExitCode()
	} else if err != nil {
		c.t.Fatal(err)
	}
	return string(out), 0
}

// reviewed holds what a job leaves behind: a summary for people and a file for code scanning.
func (c *checkout) reviewed(dir string) {
	c.t.Helper()
	for name, want := range map[string]string{"review.md": "The sum starts at one", "review.sarif": `"version": "2.1.0"`} {
		if text, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !strings.Contains(string(text), want) {
			c.t.Errorf("%s: %v\n%s", name, err, text)
		}
	}
}

// TestTheActionReviews runs the steps of the action for GitHub as a runner does.
func TestTheActionReviews(t *testing.T) {
	t.Parallel()
	var action struct {
		Inputs map[string]struct{ Default string }
		Runs   struct {
			Steps []struct {
				Name, Run, Uses string
				Env             map[string]string
			}
		}
	}
	text, err := os.ReadFile("../../.github/actions/review/action.yml")
	if err := errors.Join(err, yaml.Unmarshal(text, &action)); err != nil {
		t.Fatal(err)
	}
	input := regexp.MustCompile(`^\$\{\{ inputs\.([a-z-]+) \}\}$`)
	run := func(c *checkout, inputs map[string]string) (out string, code int) {
		for _, step := range action.Runs.Steps {
			if step.Run == "" {
				continue // of another action
			}
			if strings.Contains(step.Run, "${{") {
				t.Errorf("%s: an expression in a script becomes a part of it", step.Name)
			}
			env := []string{"GITHUB_STEP_SUMMARY=" + filepath.Join(c.temp, "summary.md"), "RUNNER_TEMP=" + c.temp, "GITHUB_WORKSPACE=" + c.dir}
			for _, name := range slices.Sorted(maps.Keys(step.Env)) {
				m := input.FindStringSubmatch(step.Env[name])
				if m == nil {
					t.Fatalf("%s: %s", name, step.Env[name])
				}
				value, ok := inputs[m[1]]
				if !ok {
					value = action.Inputs[m[1]].Default
				}
				env = append(env, name+"="+value)
			}
			out, code = c.sh(step.Run, env...)
		}
		return out, code
	}
	c := newCheckout(t)
	out, code := run(c, map[string]string{"range": "main...HEAD"})
	if code != 1 {
		t.Errorf("an error was found, and it ended with %d\n%s", code, out)
	}
	c.reviewed(c.temp)
	summary, _ := os.ReadFile(filepath.Join(c.temp, "summary.md"))
	if !strings.Contains(string(summary), "The sum starts at one") {
		t.Errorf("the summary of the job: %s", summary)
	}
	token := regexp.MustCompile(`(?s)^::stop-commands::([0-9a-f]{32})\n(.*)\n::([0-9a-f]{32})::\n$`).FindStringSubmatch(out)
	if token == nil || token[1] != token[3] || !strings.Contains(token[2], "::error::from the model") {
		t.Errorf("what the model writes may be a command to the runner:\n%s", out)
	}
	if out, code := run(c, map[string]string{"range": "main...HEAD", "fail-on": "never"}); code != 0 {
		t.Errorf("it ended with %d\n%s", code, out)
	}
	for _, evil := range []string{"$(touch evil)", "; touch evil", "--output=evil"} {
		if out, code := run(newCheckout(t), map[string]string{"range": evil}); code != exitInput {
			t.Errorf("%s ended with %d\n%s", evil, code, out)
		}
	}
}

// TestTheRecipesReview runs the commands for GitLab and Jenkins that docs/review.md has.
func TestTheRecipesReview(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/review.md")
	if err != nil {
		t.Fatal(err)
	}
	block := func(part string) string {
		_, rest, _ := strings.Cut(string(page), "\n## "+part+"\n")
		m := regexp.MustCompile("(?s)```[a-z]+\n(.*?)\n```").FindStringSubmatch(rest)
		if m == nil {
			t.Fatalf("docs/review.md has no block for %s", part)
		}
		return m[1]
	}
	var lab struct{ Review struct{ Script []string } }
	if err := yaml.Unmarshal([]byte(block("GitLab")), &lab); err != nil {
		t.Fatal(err)
	}
	jenkins := regexp.MustCompile(`sh '([^']+)'`).FindStringSubmatch(block("Jenkins"))
	if jenkins == nil || len(lab.Review.Script) == 0 {
		t.Fatal("no commands")
	}
	for name, script := range map[string]string{"GitLab": strings.Join(lab.Review.Script, "\n"), "Jenkins": jenkins[1]} {
		c := newCheckout(t)
		base, _ := c.sh("git rev-parse main")
		out, code := c.sh(script, "CI_MERGE_REQUEST_DIFF_BASE_SHA="+strings.TrimSpace(base), "CHANGE_TARGET=main")
		if code != 1 || !strings.Contains(out, "The sum starts at one") {
			t.Errorf("%s ended with %d\n%s", name, code, out)
		}
		c.reviewed(c.dir)
	}
}
