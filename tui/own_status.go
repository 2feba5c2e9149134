package tui

import (
	"bytes"
	"context"
	"encoding/json"
	"os/exec"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"rein/harness/settings"
	"rein/tui/text"
)

// ownStatusTime is how long the user's status program may run.
const ownStatusTime = 2 * time.Second

// statusFacts are what the user's status program reads, as JSON.
type statusFacts struct {
	Session string  `json:"session_id"`
	Model   string  `json:"model"`
	Mode    string  `json:"mode"`
	Dir     string  `json:"cwd"`
	Branch  string  `json:"branch,omitempty"`
	Context int64   `json:"context_tokens"`
	Input   int64   `json:"input_tokens"`
	Output  int64   `json:"output_tokens"`
	Cost    float64 `json:"cost_usd"`
}

// ownStatus runs the user's status program, if there is one, and shows the first line that it prints.
func (u *ui) ownStatus() tea.Cmd {
	return u.runStatus(u.o.Harness.Settings().Terminal.StatusLine)
}

func (u *ui) runStatus(program []string) tea.Cmd {
	if len(program) == 0 {
		return nil
	}
	how, usage := u.session.How(), u.talk.usage
	facts, err := json.Marshal(statusFacts{u.session.ID(), how.Model, how.Mode, how.Dir, u.branch, u.talk.context, usage.Input, usage.Output, usage.Cost})
	if err != nil {
		return nil
	}
	outer, getenv := u.ctx, u.o.Getenv
	return later(func() func(*ui) tea.Cmd {
		ctx, cancel := context.WithTimeout(outer, ownStatusTime)
		defer cancel()
		cmd := exec.CommandContext(ctx, settings.UnderHome(program[0]), program[1:]...)
		cmd.Dir, cmd.Stdin, cmd.Env = how.Dir, bytes.NewReader(facts), []string{} // it gets no keys
		for _, name := range []string{"PATH", "HOME", "LANG", "TERM"} {
			cmd.Env = append(cmd.Env, name+"="+getenv(name))
		}
		out, err := cmd.Output()
		line, _, _ := strings.Cut(string(out), "\n")
		if err != nil {
			line = "the status program failed: " + err.Error()
		}
		return func(u *ui) tea.Cmd {
			u.statusText = text.OneLine(line)
			return nil
		}
	})
}
