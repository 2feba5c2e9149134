// Package skills is the commands about skills: rein skills.
package skills

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"rein/cmd/rein/internal/cli"
	"rein/harness"
	"rein/harness/catalogue"
	"rein/harness/skills"
)

// New is the command rein skills.
func New() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "skills",
		Short: "List, check, add and remove skills: texts that tell the model how one kind of task is done",
		Args:  cobra.NoArgs,
	}
	e := entries()
	cmd.AddCommand(
		e.List(&cobra.Command{Use: "list", Short: "List the skills that a session here has"}, "as JSON"),
		e.Do(&cobra.Command{Use: "show NAME", Short: "Show a skill: what its head says, its files, and what the scanner finds"}, "show"),
		e.Do(&cobra.Command{Use: "remove NAME", Short: "Remove a skill that was added"}, "remove"),
		newCheck(), newAdd(), newNew())
	return cmd
}

// open opens the harness of this directory.
func open(cmd *cobra.Command) (*harness.Harness, error) {
	return harness.Open(cmd.Context(), harness.Options{Version: cli.Version()})
}

// entries are the skills of this directory.
func entries() cli.Entries {
	return cli.Entries{Kind: catalogue.Skills, Array: true, Print: printList, Local: func(*cobra.Command) catalogue.Local {
		return catalogue.Local{Options: harness.Options{Version: cli.Version()}}
	}}
}

func printList(cmd *cobra.Command, list catalogue.List) error {
	for _, e := range list.Entries {
		fmt.Fprintf(cmd.OutOrStdout(), "%-24s %-8s %-9s %s\n", cli.Shown(e.Name), e.Field("from"), findings(e.Field("worst")), cli.Shown(short(e.Field("about"))))
		if state := e.Field("state"); state != "" {
			fmt.Fprintf(cmd.OutOrStdout(), "%-24s %s\n", "", cli.Shown(state))
		}
	}
	for _, p := range list.Warnings {
		fmt.Fprintln(cmd.ErrOrStderr(), "rein:", cli.Shown(p))
	}
	return nil
}

func findings(worst string) string {
	if worst == "none" || worst == "low" {
		return "-"
	}
	return worst
}

// short returns the beginning of a description.
func short(text string) string {
	if runes := []rune(text); len(runes) > 90 {
		return string(runes[:89]) + "…"
	}
	return text
}

// report writes the lines of findings.
func report(out io.Writer, lines []string) {
	for _, line := range lines {
		fmt.Fprintln(out, cli.Shown(line))
	}
}

func newCheck() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "check [NAME | DIR]…",
		Short: "Scan skills for what may harm you; without arguments all that a session here has",
		Long: `Scan skills, by name or by directory: commands that destroy or send data away, text that gives orders against you, hidden
characters, obfuscation, keys, downloads without a version. rein ends with 60 when a finding is critical.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			all, err := chosen(cmd, args)
			if err != nil {
				return err
			}
			critical, found := false, map[string]any{}
			for _, s := range all {
				found[s.Name] = s.Findings()
				critical = critical || skills.Worst(s.Findings()) == "critical"
				if !asJSON {
					fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", cli.Shown(s.Name), verdict(len(s.Findings()), skills.Worst(s.Findings())))
					report(cmd.OutOrStdout(), skills.Lines(s.Findings()))
					for _, w := range s.Warnings {
						fmt.Fprintln(cmd.OutOrStdout(), "warning  ", cli.Shown(w))
					}
				}
			}
			if asJSON {
				err = cli.PrintJSON(cmd.OutOrStdout(), found)
			}
			if err == nil && critical {
				err = cli.Silent(cli.Fail(cli.ExitDenied, fmt.Errorf("a critical finding")))
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return cmd
}

func verdict(n int, worst string) string {
	switch n {
	case 0:
		return "nothing found"
	case 1:
		return "1 finding, " + worst
	}
	return fmt.Sprintf("%d findings, the worst is %s", n, worst)
}

// chosen returns the skills that arguments name; all of a session without any.
func chosen(cmd *cobra.Command, args []string) ([]*skills.Skill, error) {
	h, err := open(cmd)
	if err != nil {
		return nil, err
	}
	c := h.Skills()
	if len(args) == 0 {
		return c.All(), nil
	}
	var all []*skills.Skill
	for _, a := range args {
		s := c.Get(a)
		if s == nil {
			dir, err := filepath.Abs(a)
			if err == nil {
				s, err = skills.Open(strings.TrimSuffix(dir, string(filepath.Separator)+"SKILL.md"), "user")
			}
			if err != nil {
				return nil, cli.Fail(cli.ExitInput, fmt.Errorf("%s is neither a skill here nor a directory with one: %w", a, err))
			}
		}
		all = append(all, s)
	}
	return all, nil
}
