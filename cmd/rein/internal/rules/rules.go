// Package rules is the commands that show what rules and guards decide: rein rules and rein guard.
package rules

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"rein/cmd/rein/internal/cli"
	"rein/guard"
	"rein/guard/rule"
	"rein/harness"
	"rein/harness/settings"
	"rein/tool"
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
		Short: "Check the rules of a settings file, or of all settings files in force here",
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
				fmt.Fprintln(cmd.OutOrStdout(), w)
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%d rules, %d warnings\n", len(list), len(warnings))
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
	f.StringVar(&b.mode, "mode", "supervised", "read-only, plan, supervised, auto or full")
	f.StringVar(&b.isolation, "isolation", "full", "what the sandbox enforces: full, files or none")
}

// caseOf makes the case of a shell command in the current directory.
func (b *bench) caseOf(root, command string) (guard.Case, error) {
	j := judging{mode: b.mode, isolation: b.isolation, root: root}
	return j.caseOf(judgeRow{Cmd: &command})
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
	if r, err := rule.Parse(call); b.tool == "bash" && err == nil && r.Spec != "" && slices.Contains(settings.ToolNames(), r.Tool) {
		b.tool, call = r.Tool, r.Spec
	}
	if !slices.Contains(settings.ToolNames(), b.tool) && !strings.HasPrefix(b.tool, "mcp__") {
		return cli.Fail(cli.ExitUsage, fmt.Errorf("there is no tool %q%s", b.tool, settings.DidYouMean(b.tool, settings.ToolNames())))
	}
	g, _, err := harness.Guards(settings.DefaultDirs(), root)
	if err != nil {
		return err
	}
	c, err := b.caseOf(root, call)
	if err != nil {
		return err
	}
	c.Call.Name = b.tool
	if b.tool != "bash" {
		c.Intent = intentOf(b.tool, call)
	}
	out := cmd.OutOrStdout()
	v := g.Judge(cmd.Context(), c)
	if c.Intent.Command != "" {
		for _, p := range g.Programs.Read(c).Parts { // the simple commands of the line
			words := make([]string, len(p.Words))
			for i, w := range p.Words {
				words[i] = guard.Printable(w)
			}
			fmt.Fprintf(out, "part     %-14s %s\n", p.Class, strings.Join(words, " "))
		}
	}
	for _, e := range v.Effects {
		fmt.Fprintf(out, "effect   %s\n", guard.Printable(e))
	}
	fmt.Fprintf(out, "guards   %s\n", spoken(v))
	decided, answer := g.Decide(cmd.Context(), c)
	switch {
	case v.Decision != guard.Ask:
		fmt.Fprintf(out, "verdict  %s\n", v.Decision)
	case decided.Decision == guard.Allow:
		fmt.Fprintf(out, "verdict  allow, by the %s\n", answer.By)
	default:
		fmt.Fprintf(out, "verdict  ask\n")
		if held := g.Rules.Held(c); held != nil {
			fmt.Fprintf(out, "note     %s (%s) covers it only with \"risk\": \"high\"\n", held, held.Source)
		}
		for _, r := range rule.Offer(c, v, g.Programs) {
			fmt.Fprintf(out, "always   would add %q\n", r.String())
		}
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

// intentOf is the intent of a call that is only named: a path or a host.
func intentOf(toolName, arg string) tool.Intent {
	switch toolName {
	case "edit_file", "write_file", "apply_patch", "insert", "undo_edit", "notebook_edit", "agent_apply":
		return tool.Intent{Writes: []string{arg}}
	case "web_fetch", "http_request", "web_search", "browser_navigate":
		return tool.Intent{Hosts: []string{hostOnly(arg)}}
	case "read_file", "grep", "glob", "list_dir", "view_image", "view_video", "send_file":
		return tool.Intent{Reads: []string{arg}}
	}
	return tool.Intent{Unknown: true}
}

func hostOnly(s string) string {
	s = strings.TrimPrefix(s, "domain:")
	if _, rest, ok := strings.Cut(s, "://"); ok {
		s = rest
	}
	if i := strings.IndexAny(s, "/?#"); i >= 0 {
		s = s[:i]
	}
	return s[strings.LastIndexByte(s, '@')+1:]
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
	f, err := os.Open(file)
	if err != nil {
		return cli.Fail(cli.ExitInput, err)
	}
	defer f.Close()
	g, _, err := harness.Guards(settings.DefaultDirs(), root)
	if err != nil {
		return err
	}
	wrong, n := 0, 0
	lines := bufio.NewScanner(f)
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
		return cli.Fail(cli.ExitError, fmt.Errorf("%d commands came out otherwise than expected", wrong))
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
	c, err := b.caseOf(root, command)
	if err != nil {
		return "", err
	}
	c.Call.Name = "bash"
	v, _ := g.Decide(cmd.Context(), c)
	return v.Decision.String(), nil
}
