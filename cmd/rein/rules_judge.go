package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"

	"github.com/spf13/cobra"

	"rein/app/catalogue"
	"rein/app/harness"
	"rein/guard"
)

// The context in which "rein guard judge" judges, unless a flag or a line changes it: the one that published
// labels assume. Nothing of this machine goes into it, so the same line has the same answer everywhere.
const (
	judgeHome = "/home/dev"
	judgeUser = "dev"
	judgeRoot = "/home/dev/project"
)

// newGuard is the command rein guard.
func newGuard() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "guard",
		Short: "Ask the guard about commands and calls",
		Args:  cobra.NoArgs,
	}
	cmd.AddCommand(newJudge())
	return cmd
}

// handJudge is how calls are judged by hand.
type handJudge struct {
	batch                 bool
	mode, isolation, root string
	home, user            string
	guards                catalogue.JudgingGuards
}

func newJudge() *cobra.Command {
	var j handJudge
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
	j.mode, j.isolation = "supervised", "full"
	f.Var(modeFlag(&j.mode), "mode", "read-only, plan, ask, supervised, auto or full")
	f.Var(choiceFlag(&j.isolation, "full", "files", "none"), "isolation", "what the sandbox enforces: full, files or none")
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

func (j *handJudge) run(cmd *cobra.Command, args []string) error {
	if j.batch {
		return answerLines(cmd.InOrStdin(), cmd.OutOrStdout(), j.line)
	}
	if len(args) == 0 {
		return withExitCode(exitUsage, errors.New("name a command, or use --batch"))
	}
	a, err := j.judge(judgeRow{Cmd: &args[0]})
	if err != nil {
		return err
	}
	return printJSON(cmd.OutOrStdout(), a)
}

func (j *handJudge) line(line []byte) (any, error) {
	var row judgeRow
	if err := json.Unmarshal(line, &row); err != nil {
		return nil, err
	}
	return j.judge(row)
}

func (j *handJudge) judge(row judgeRow) (judgeAnswer, error) {
	c, err := j.caseOf(row)
	if err != nil {
		return judgeAnswer{}, err
	}
	if j.guards.Set == nil {
		j.guards = catalogue.BareGuards(j.home, j.user, harness.ConfinedTools(), harness.NothingUnsaved)
	}
	c = j.guards.Programs.Prepare(c)
	v := j.guards.Judge(context.Background(), c)
	return judgeAnswer{
		ID: row.ID, Decision: v.Decision.String(), Severity: v.Severity.String(), Rules: notNil(v.Rules), Reason: v.Reason, Hint: v.Hint,
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

func (j *handJudge) caseOf(row judgeRow) (guard.Case, error) {
	p := catalogue.JudgingPlace{Mode: cmp.Or(row.Mode, j.mode), Isolation: j.isolation, Root: j.root}
	if row.Cmd != nil {
		return p.Command(*row.Cmd, row.Cwd)
	}
	return p.Call(row.Tool, row.Args, row.Cwd)
}

func notNil(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}
