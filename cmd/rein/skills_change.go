package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rein/app/extend"
	"rein/app/harness"
)

func newSkillsAdd() *cobra.Command {
	var yes bool
	var name string
	cmd := &cobra.Command{
		Use:   "add DIR | ARCHIVE | https://…",
		Short: "Add a skill from a directory, an archive or an address",
		Long: `Add a skill to your own: from a directory, an archive (zip, tar, tar.gz), or the https address of an archive. rein shows the
files that are new or changed and what the scanner finds, and asks. The skill is pinned by the hash of its files: rein
skills list reports when they change.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			h, err := openSkills(cmd)
			if err != nil {
				return err
			}
			p, err := readSkillSource(cmd.Context(), h, args[0], name)
			if err != nil {
				return withExitCode(exitInput, err)
			}
			out := cmd.ErrOrStderr()
			changes := h.SkillStore().Changes(p)
			if len(changes) == 0 {
				_, err := fmt.Fprintf(out, "The skill %s is there already, with the same files.\n", printable(p.Name))
				return err
			}
			for _, c := range changes {
				fmt.Fprintf(out, "%-9s %s\n", c.How, printable(c.Path))
			}
			found := p.Findings()
			printFindingLines(out, extend.FindingLines(found))
			switch {
			case yes && extend.WorstFinding(found) == "critical":
				return withExitCode(exitDenied, errors.New("a finding is critical, so --yes does not count: look at it and run the command without --yes"))
			case !yes:
				ok, err := confirmQuestion(cmd, fmt.Sprintf("Add the skill %s with these files?", printable(p.Name)))
				if err != nil || !ok {
					return err
				}
			}
			s, err := h.SkillStore().Add(p, args[0], time.Now().UTC())
			if err != nil {
				return withExitCode(exitInput, err)
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), s.Dir)
			return err
		},
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask, unless a finding is critical")
	cmd.Flags().StringVar(&name, "name", "", "the name of the skill, where an archive has several or the directory has another one")
	return cmd
}

// readSkillSource reads a skill from where the user says it is.
func readSkillSource(ctx context.Context, h *harness.Harness, from, name string) (extend.SkillPackage, error) {
	if !strings.Contains(from, "://") {
		return extend.ReadSkillPackage(from, name)
	}
	if !strings.HasPrefix(from, "https://") {
		return extend.SkillPackage{}, fmt.Errorf("%s: only https addresses", from)
	}
	client, err := h.Client()
	if err != nil {
		return extend.SkillPackage{}, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, from, nil)
	if err != nil {
		return extend.SkillPackage{}, err
	}
	answer, err := client.Do(request)
	if err != nil {
		return extend.SkillPackage{}, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return extend.SkillPackage{}, fmt.Errorf("%s: %s", from, answer.Status)
	}
	return extend.ReadSkillArchive(answer.Body, request.URL.Path, name)
}

func newSkillsNew() *cobra.Command {
	var project bool
	cmd := &cobra.Command{
		Use:   "new NAME",
		Short: "Create a skill of your own",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			h, err := openSkills(cmd)
			if err != nil {
				return err
			}
			dir := h.SkillStore().Dir
			if project {
				dir = filepath.Join(h.Root(), ".agents", "skills")
			}
			file, err := extend.BeginSkill(dir, args[0])
			if err != nil {
				return withExitCode(exitInput, err)
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), file)
			return err
		},
	}
	cmd.Flags().BoolVar(&project, "project", false, "in .agents/skills of this directory, for everybody who works on it")
	return cmd
}
