package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"rein/app/catalogue"
	"rein/app/harness"
	"rein/app/settings"
	"rein/guard"
	"rein/kit/guards"
)

// newRules is the command rein rules.
func newRules() *cobra.Command {
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
			check := func() (string, error) {
				return catalogue.Local{}.Do(cmd.Context(), catalogue.Request{Kind: catalogue.Rules, Verb: "check"})
			}
			if len(args) == 1 {
				check = func() (string, error) { return checkRulesFile(args[0]) }
			}
			text, err := check()
			if err != nil {
				return withExitCode(exitConfig, err)
			}
			_, err = fmt.Fprint(cmd.OutOrStdout(), printable(text))
			return err
		},
	}
}

// checkRulesFile checks the rules of one settings file.
func checkRulesFile(file string) (string, error) {
	root, err := os.Getwd()
	if err != nil {
		return "", err
	}
	list, warnings, err := harness.ReadRules(guards.User, file, root)
	if err != nil {
		return "", err
	}
	misspelled, err := settings.Unknown(file)
	return catalogue.Checked(list, warnings, misspelled), err
}

// ruleBench is where calls are judged by the rules that hold here, without running them.
type ruleBench struct {
	mode, isolation, tool string
}

func (b *ruleBench) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	b.mode, b.isolation = "supervised", "full"
	f.Var(modeFlag(&b.mode), "mode", "read-only, plan, ask, supervised, auto or full")
	f.Var(choiceFlag(&b.isolation, "full", "files", "none"), "isolation", "what the sandbox enforces: full, files or none")
}

// place is where the calls are judged.
func (b *ruleBench) place(root string) catalogue.JudgingPlace {
	return catalogue.JudgingPlace{Mode: b.mode, Isolation: b.isolation, Root: root}
}

func newRulesExplain() *cobra.Command {
	var b ruleBench
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

func (b *ruleBench) explain(cmd *cobra.Command, call string) error {
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	text, err := catalogue.Explain(cmd.Context(), settings.DefaultDirs(), b.place(root), b.tool, call)
	fmt.Fprint(cmd.OutOrStdout(), text)
	return err
}

func newRulesTest() *cobra.Command {
	var b ruleBench
	var past recordedCalls
	cmd := &cobra.Command{
		Use:   "test FILE",
		Short: "Test rules: which recorded calls they would decide otherwise, or whether commands get the expected verdict",
		Long: `Test the rules of a settings file (FILE is JSON) on the calls that were made: which of the last calls of this directory
would be decided otherwise if these rules were added to those that hold now. Nothing runs.

Or test the rules that hold now on the commands of a text file, one on each line, with the expected verdict before it
("allow: go test ./...").

The exit code is 1 when a call would be decided otherwise, or a command has another verdict than expected.`,
		Example: `  rein rules test new.json
  rein rules test new.json --last 2000 --all
  rein rules test commands.txt`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if strings.HasSuffix(args[0], ".json") {
				return past.test(cmd, args[0])
			}
			return b.test(cmd, args[0])
		},
	}
	b.flags(cmd)
	past.flags(cmd)
	return cmd
}

func (b *ruleBench) test(cmd *cobra.Command, file string) error {
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	text, err := readFile(file)
	if err != nil {
		return withExitCode(exitInput, err)
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
		want, command := parseExpectation(line)
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
		return withExitCode(exitInput, fmt.Errorf("%s:%d: %w", filepath.Base(file), n, err))
	}
	if wrong > 0 {
		return withExitCode(exitError, fmt.Errorf("commands with another verdict than expected: %d", wrong))
	}
	return nil
}

func parseExpectation(line string) (want, command string) {
	for _, w := range []string{"allow", "ask", "deny"} {
		if rest, ok := strings.CutPrefix(line, w+":"); ok {
			return w, strings.TrimSpace(rest)
		}
	}
	return "", line
}

// outcome is what comes of a command: the guards' verdict, or allow where a rule answers.
func (b *ruleBench) outcome(cmd *cobra.Command, g harness.GuardSet, root, command string) (string, error) {
	c, err := b.place(root).Command(command, "")
	if err != nil {
		return "", err
	}
	v, _ := g.Decide(cmd.Context(), c)
	return v.Decision.String(), nil
}
