// Package rules is the commands that show what rules and guards decide: rein rules and rein guard.
package rules

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"rein/cmd/rein/internal/cli"
	"rein/guard"
	"rein/harness"
	"rein/harness/judging"
	"rein/harness/settings"
	"rein/kit/rule"
)

// NewRules is the command rein rules.
func NewRules() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rules",
		Short: "Check, explain, test and import the rules for what may run",
		Args:  cobra.NoArgs,
	}
	cmd.AddCommand(newRulesCheck(), newRulesExplain(), newRulesTest(), newRulesSimulate(), newRulesImport())
	return cmd
}

func newRulesCheck() *cobra.Command {
	return &cobra.Command{
		Use:   "check [FILE]",
		Short: "Check the rules of a settings file, or of all settings files that apply here",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			root, err := os.Getwd()
			if err != nil {
				return err
			}
			var list []rule.Rule
			var warnings []rule.Warning
			var misspelled []string
			if len(args) == 1 {
				if list, warnings, err = harness.ReadRules(rule.User, args[0], root); err == nil {
					misspelled, err = settings.Unknown(args[0])
				}
			} else if list, warnings, err = harness.LoadRules(settings.DefaultDirs(), root); err == nil {
				_, misspelled, err = settings.Load(settings.DefaultDirs(), root)
			}
			if err != nil {
				return cli.Fail(cli.ExitConfig, err)
			}
			for _, text := range misspelled {
				warnings = append(warnings, rule.Warning{Text: text})
			}
			warnings = append(warnings, rule.Lint(list, settings.ToolNames())...)
			for _, w := range warnings {
				fmt.Fprintln(cmd.OutOrStdout(), cli.Shown(fmt.Sprint(w)))
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "rules: %d, warnings: %d\n", len(list), len(warnings))
			return err
		},
	}
}

// bench is where calls are judged by the rules that hold here, without running them.
type bench struct {
	mode, isolation, tool string
}

func (b *bench) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	b.mode, b.isolation = "supervised", "full"
	f.Var(cli.Mode(&b.mode), "mode", "read-only, plan, supervised, auto or full")
	f.Var(cli.OneOf(&b.isolation, "full", "files", "none"), "isolation", "what the sandbox enforces: full, files or none")
}

// place is where the calls are judged.
func (b *bench) place(root string) judging.Place {
	return judging.Place{Mode: b.mode, Isolation: b.isolation, Root: root}
}

func newRulesExplain() *cobra.Command {
	var b bench
	cmd := &cobra.Command{
		Use:   "explain 'CALL'",
		Short: "Explain what a call would do, which rules match it, and the verdict",
		Long: `Explain what a call would do, which rules match it, and the verdict. CALL is a shell command, or a call as rules write
it: 'read_file(.env)', 'web_fetch(example.com)'. With --tool, CALL is the text between the parentheses: a path for file
tools, a host for web tools.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return b.explain(cmd, args[0]) },
	}
	b.flags(cmd)
	cmd.Flags().StringVar(&b.tool, "tool", "bash", "the tool that is called")
	return cmd
}

func (b *bench) explain(cmd *cobra.Command, call string) error {
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	c, err := b.place(root).Named(b.tool, call, settings.ToolNames())
	if none, ok := errors.AsType[judging.NoToolError](err); ok {
		return cli.Fail(cli.ExitUsage, fmt.Errorf("%w%s", err, settings.DidYouMean(none.Tool, settings.ToolNames())))
	}
	if err != nil {
		return err
	}
	g, _, err := harness.Guards(settings.DefaultDirs(), root)
	if err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	x := judging.Guards(g).Explain(cmd.Context(), c)
	for _, p := range x.Parts {
		fmt.Fprintf(out, "part     %-14s %s\n", p.Class, p.Words)
	}
	for _, e := range x.Effects {
		fmt.Fprintf(out, "effect   %s\n", e)
	}
	fmt.Fprintf(out, "guards   %s\n", spoken(x.Guards))
	if x.By != "" {
		fmt.Fprintf(out, "verdict  allow, by the %s\n", x.By)
	} else {
		fmt.Fprintf(out, "verdict  %s\n", x.Verdict.Decision)
	}
	if x.Held != nil {
		fmt.Fprintf(out, "note     %s (%s) covers it only with \"risk\": \"high\"\n", x.Held, x.Held.Source)
	}
	for _, r := range x.Always {
		fmt.Fprintf(out, "always   would add %q\n", r.String())
	}
	return nil
}

func spoken(v guard.Verdict) string {
	s := v.Decision.String()
	if v.Reason != "" {
		s += fmt.Sprintf(" (%s; %s): %s", v.Severity, strings.Join(v.Rules, ", "), guard.Printable(v.Reason))
	}
	if v.RuleAt != "" {
		s += " [" + v.RuleAt + "]"
	}
	return s
}

func newRulesTest() *cobra.Command {
	var b bench
	cmd := &cobra.Command{
		Use:   "test FILE",
		Short: "Judge the commands of a file, one on each line, and compare with the expected verdict (\"allow: …\")",
		Args:  cobra.ExactArgs(1),
		RunE:  func(cmd *cobra.Command, args []string) error { return b.test(cmd, args[0]) },
	}
	b.flags(cmd)
	return cmd
}

func (b *bench) test(cmd *cobra.Command, file string) error {
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	text, err := cli.ReadFile(file)
	if err != nil {
		return cli.Fail(cli.ExitInput, err)
	}
	g, _, err := harness.Guards(settings.DefaultDirs(), root)
	if err != nil {
		return err
	}
	wrong, n := 0, 0
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		n++
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		want, command := expectation(line)
		have, err := b.outcome(cmd, g, root, command)
		if err != nil {
			return err
		}
		mark := " "
		if want != "" && want != have {
			wrong++
			mark = "✗"
		}
		fmt.Fprintf(cmd.OutOrStdout(), "%s %-5s %s\n", mark, have, guard.Printable(command))
	}
	if err := lines.Err(); err != nil {
		return cli.Fail(cli.ExitInput, fmt.Errorf("%s:%d: %w", filepath.Base(file), n, err))
	}
	if wrong > 0 {
		return cli.Fail(cli.ExitError, fmt.Errorf("commands with another verdict than expected: %d", wrong))
	}
	return nil
}

func expectation(line string) (want, command string) {
	for _, w := range []string{"allow", "ask", "deny"} {
		if rest, ok := strings.CutPrefix(line, w+":"); ok {
			return w, strings.TrimSpace(rest)
		}
	}
	return "", line
}

// outcome is what comes of a command: the guards' verdict, or allow where a rule answers.
func (b *bench) outcome(cmd *cobra.Command, g harness.GuardSet, root, command string) (string, error) {
	c, err := b.place(root).Command(command, "")
	if err != nil {
		return "", err
	}
	v, _ := g.Decide(cmd.Context(), c)
	return v.Decision.String(), nil
}
