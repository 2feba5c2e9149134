package rules

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"rein/cmd/rein/internal/cli"
	"rein/guard"
	"rein/guard/standard"
	"rein/harness"
	"rein/tool"
)

// The context in which "rein guard judge" judges, unless a flag or a line changes it: the one that published
// labels assume. Nothing of this machine goes into it, so the same line has the same answer everywhere.
const (
	judgeHome = "/home/dev"
	judgeUser = "dev"
	judgeRoot = "/home/dev/project"
)

// NewGuard is the command rein guard.
func NewGuard() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "guard",
		Short: "Ask the guard about commands and calls",
		Args:  cobra.NoArgs,
	}
	cmd.AddCommand(newJudge())
	return cmd
}

// judging is how calls are judged by hand.
type judging struct {
	batch                 bool
	mode, isolation, root string
	home, user            string
	guards                *standard.Set
}

func newJudge() *cobra.Command {
	var j judging
	cmd := &cobra.Command{
		Use:   "judge [COMMAND]",
		Short: "Judge a shell command, or JSON lines with --batch",
		Long: `Judge a shell command: allow, ask or deny, the reason, and what the command would do. Nothing runs.

With --batch, rein reads lines {"id","cmd","mode"?,"cwd"?} or {"id","tool","args","mode"?}, and writes lines
{"id","decision","severity","rules","reason","effects"}. Without flags the workspace is ` + judgeRoot + `, the user is
` + judgeUser + `, and the sandbox enforces everything.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return j.run(cmd, args) },
	}
	f := cmd.Flags()
	f.BoolVar(&j.batch, "batch", false, "read JSON lines from standard input")
	f.StringVar(&j.mode, "mode", "supervised", "read-only, plan, supervised, auto or full")
	f.StringVar(&j.isolation, "isolation", "full", "what the sandbox enforces: full, files or none")
	f.StringVar(&j.root, "root", judgeRoot, "the workspace")
	f.StringVar(&j.home, "home", judgeHome, "the home directory")
	f.StringVar(&j.user, "user", judgeUser, "the user's name")
	return cmd
}

// judgeRow is one line of a batch.
type judgeRow struct {
	ID   json.RawMessage `json:"id"`
	Cmd  *string         `json:"cmd"`
	Tool string          `json:"tool"`
	Args json.RawMessage `json:"args"`
	Mode string          `json:"mode"`
	Cwd  string          `json:"cwd"`
}

// judgeAnswer is the verdict of the guard on one line.
type judgeAnswer struct {
	ID       json.RawMessage `json:"id,omitempty"`
	Decision string          `json:"decision"`
	Severity string          `json:"severity"`
	Rules    []string        `json:"rules"`
	Reason   string          `json:"reason,omitempty"`
	Hint     string          `json:"hint,omitempty"`
	Effects  judgeEffects    `json:"effects"`
}

type judgeEffects struct {
	Class    string   `json:"class,omitempty"`
	Reads    []string `json:"reads,omitempty"`
	Writes   []string `json:"writes,omitempty"`
	Removes  []string `json:"removes,omitempty"`
	Hosts    []string `json:"hosts,omitempty"`
	Programs []string `json:"programs,omitempty"`
}

func (j *judging) run(cmd *cobra.Command, args []string) error {
	if j.batch {
		return cli.AnswerLines(cmd.InOrStdin(), cmd.OutOrStdout(), j.line)
	}
	if len(args) == 0 {
		return cli.Fail(cli.ExitUsage, errors.New("name a command, or use --batch"))
	}
	a, err := j.judge(judgeRow{Cmd: &args[0]})
	if err != nil {
		return err
	}
	return cli.PrintJSON(cmd.OutOrStdout(), a)
}

func (j *judging) line(line []byte) (any, error) {
	var row judgeRow
	if err := json.Unmarshal(line, &row); err != nil {
		return nil, err
	}
	return j.judge(row)
}

func (j *judging) judge(row judgeRow) (judgeAnswer, error) {
	c, err := j.caseOf(row)
	if err != nil {
		return judgeAnswer{}, err
	}
	if j.guards == nil {
		j.guards = standard.New(standard.Options{Here: j.here(), Confined: harness.ConfinedTools(), Unsaved: harness.NothingUnsaved})
	}
	c = j.guards.Programs.Prepare(c)
	v := j.guards.Judge(context.Background(), c)
	return judgeAnswer{
		ID: row.ID, Decision: v.Decision.String(), Severity: v.Severity.String(), Rules: orEmpty(v.Rules), Reason: v.Reason, Hint: v.Hint,
		Effects: effectsOf(c),
	}, nil
}

func effectsOf(c guard.Case) judgeEffects {
	r := c.Report
	if r == nil {
		return judgeEffects{Reads: c.Intent.Reads, Writes: c.Intent.Writes, Hosts: c.Intent.Hosts}
	}
	return judgeEffects{
		Class: r.Class().String(), Reads: r.Reads, Writes: r.Writes, Removes: r.Removes, Hosts: r.Hosts, Programs: r.Programs,
	}
}

func (j *judging) here() standard.Here {
	return standard.Here{
		Home: j.home, User: j.user, Self: []string{"rein", "harness"},
		Settings: []string{j.home + "/.config/harness", j.home + "/.local/state/harness"},
	}
}

func (j *judging) caseOf(row judgeRow) (guard.Case, error) {
	name := row.Mode
	if name == "" {
		name = j.mode
	}
	c := guard.Case{Root: j.root}
	var err error
	if c.Mode, err = guard.ParseMode(name); err != nil {
		return c, err
	}
	switch j.isolation {
	case "full":
		c.Isolation = guard.FullIsolation
	case "files":
		c.Isolation = guard.FileIsolation
	case "none":
	default:
		return c, fmt.Errorf("no such isolation: %q (want full, files or none)", j.isolation)
	}
	if row.Cmd != nil {
		c.Call.Name, c.Effect = "bash", tool.Reads|tool.Writes|tool.Runs
		c.Intent = tool.Intent{Command: *row.Cmd, Cwd: row.Cwd}
		return c, nil
	}
	if row.Tool == "" {
		return c, errors.New("a line needs a cmd, or a tool and its args")
	}
	c.Call = tool.Call{Name: row.Tool, Args: row.Args}
	c.Intent, c.Effect, err = intentOfRow(row)
	return c, err
}

// intentOfRow takes the intent of a call from the tool's name and the usual names of arguments: enough to judge it by hand.
func intentOfRow(row judgeRow) (tool.Intent, tool.Effect, error) {
	var in struct {
		Path     string   `json:"path"`
		FilePath string   `json:"file_path"`
		Paths    []string `json:"paths"`
		URL      string   `json:"url"`
		Command  string   `json:"command"`
	}
	if len(row.Args) > 0 {
		if err := json.Unmarshal(row.Args, &in); err != nil {
			return tool.Intent{}, 0, fmt.Errorf("args: %w", err)
		}
	}
	for _, p := range []string{in.Path, in.FilePath} {
		if p != "" {
			in.Paths = append(in.Paths, p)
		}
	}
	switch row.Tool {
	case "bash":
		return tool.Intent{Command: in.Command, Cwd: row.Cwd}, tool.Reads | tool.Writes | tool.Runs, nil
	case "read_file", "list_dir", "grep", "glob", "view_image", "view_video", "send_file":
		return tool.Intent{Reads: in.Paths}, tool.Reads, nil
	case "write_file", "edit_file", "insert", "notebook_edit":
		return tool.Intent{Reads: in.Paths, Writes: in.Paths}, tool.Reads | tool.Writes, nil
	case "web_fetch", "http_request", "web_search", "browser_navigate":
		return tool.Intent{Hosts: []string{hostOnly(in.URL)}}, tool.Reaches, nil
	}
	return tool.Intent{Unknown: true}, tool.Reads | tool.Writes, nil
}

func orEmpty(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}
