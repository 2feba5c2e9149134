package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"rein/app/catalogue"
	"rein/app/extend"
	"rein/app/harness"
)

// newSkills is the command rein skills.
func newSkills() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "skills",
		Short: "List, check, add and remove skills: texts that tell the model how one kind of task is done",
		Args:  cobra.NoArgs,
	}
	e := skillCommands()
	cmd.AddCommand(
		e.List(&cobra.Command{Use: "list", Short: "List the skills that a session here has"}, "as JSON"),
		e.Do(&cobra.Command{Use: "show NAME", Short: "Show a skill: what its head says, its files, and what the scanner finds"}, "show"),
		e.Do(&cobra.Command{Use: "remove NAME", Short: "Remove a skill that was added"}, "remove"),
		newSkillsCheck(), newSkillsAdd(), newSkillsNew())
	return cmd
}

// openSkills opens the harness of this directory.
func openSkills(cmd *cobra.Command) (*harness.Harness, error) {
	return harness.Open(cmd.Context(), harness.Options{Version: programVersion()})
}

// skillCommands are the skills of this directory.
func skillCommands() entryCommands {
	return entryCommands{Kind: catalogue.Skills, Array: true, Print: printSkills, None: saysNone("There are no skills: see rein skills --help."), Local: func(*cobra.Command) catalogue.Local {
		return catalogue.Local{Options: harness.Options{Version: programVersion()}}
	}}
}

func printSkills(cmd *cobra.Command, list catalogue.List) error {
	for _, e := range list.Entries {
		fmt.Fprintf(cmd.OutOrStdout(), "%-24s %-8s %-9s %s\n", printable(e.Name), e.Field("from"), describeFindings(e.Field("worst")), printable(shortenAbout(e.Field("about"))))
		if state := e.Field("state"); state != "" {
			fmt.Fprintf(cmd.OutOrStdout(), "%-24s %s\n", "", printable(state))
		}
	}
	for _, p := range list.Warnings {
		sayTo(cmd, p)
	}
	return nil
}

func describeFindings(worst string) string {
	if worst == "none" || worst == "low" {
		return "-"
	}
	return worst
}

// shortenAbout returns the beginning of a description.
func shortenAbout(text string) string {
	if runes := []rune(text); len(runes) > 90 {
		return string(runes[:89]) + "…"
	}
	return text
}

// printFindingLines writes the lines of findings.
func printFindingLines(out io.Writer, lines []string) {
	for _, line := range lines {
		fmt.Fprintln(out, printable(line))
	}
}

func newSkillsCheck() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "check [NAME | DIR]…",
		Short: "Scan skills for what may harm you; without arguments all that a session here has",
		Long: `Scan skills, by name or by directory: commands that destroy or send data away, text that gives orders against you, hidden
characters, obfuscation, keys, downloads without a version. rein ends with 60 when a finding is critical.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			all, err := chooseSkills(cmd, args)
			if err != nil {
				return err
			}
			critical, found := false, map[string]any{}
			for _, s := range all {
				found[s.Name] = s.Findings()
				critical = critical || extend.WorstFinding(s.Findings()) == "critical"
				if !asJSON {
					fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", printable(s.Name), describeVerdict(len(s.Findings()), extend.WorstFinding(s.Findings())))
					printFindingLines(cmd.OutOrStdout(), extend.FindingLines(s.Findings()))
					for _, w := range s.Warnings {
						fmt.Fprintln(cmd.OutOrStdout(), "warning  ", printable(w))
					}
				}
			}
			if asJSON {
				err = printJSON(cmd.OutOrStdout(), found)
			}
			if err == nil && critical {
				err = asSeen(withExitCode(exitDenied, fmt.Errorf("a critical finding")))
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return cmd
}

func describeVerdict(n int, worst string) string {
	switch n {
	case 0:
		return "nothing found"
	case 1:
		return "1 finding, " + worst
	}
	return fmt.Sprintf("%d findings, the worst is %s", n, worst)
}

// chooseSkills returns the skills that arguments name; all of a session without any.
func chooseSkills(cmd *cobra.Command, args []string) ([]*extend.Skill, error) {
	h, err := openSkills(cmd)
	if err != nil {
		return nil, err
	}
	c := h.Skills()
	if len(args) == 0 {
		return c.All(), nil
	}
	var all []*extend.Skill
	for _, a := range args {
		s := c.Get(a)
		if s == nil {
			dir, err := filepath.Abs(a)
			if err == nil {
				s, err = extend.OpenSkill(strings.TrimSuffix(dir, string(filepath.Separator)+"SKILL.md"), "user")
			}
			if err != nil {
				return nil, withExitCode(exitInput, fmt.Errorf("%s is neither a skill here nor a directory with one: %w", a, err))
			}
		}
		all = append(all, s)
	}
	return all, nil
}
