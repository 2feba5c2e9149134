package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	store "rein/app/sessions"
)

// noteResult is what name and tag print with --json.
type noteResult struct {
	ID   string   `json:"id"`
	Name string   `json:"name,omitempty"`
	Tags []string `json:"tags,omitempty"`
}

func newSessionsName() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "name ID [NAME]",
		Short: "Name a session; without NAME, remove its name",
		Long:  "Name a session. Without NAME, remove its name.\n\n" + namingHelp,
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withSession(cmd, args[0], func(s *store.Store, id string) error {
				name := strings.TrimSpace(strings.Join(args[1:], " "))
				if err := s.SetName(id, name); err != nil {
					return withExitCode(exitInput, err)
				}
				if asJSON {
					return printJSONLines(cmd, []noteResult{{ID: id, Name: name}})
				}
				if name == "" {
					fmt.Fprintln(cmd.ErrOrStderr(), id, "has no name now.")
					return nil
				}
				fmt.Fprintf(cmd.ErrOrStderr(), "%s is named %q.\n", id, name)
				return nil
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "as one JSON object")
	return cmd
}

func newSessionsTag() *cobra.Command {
	var asJSON bool
	var remove []string
	cmd := &cobra.Command{
		Use:   "tag ID TAG…",
		Short: "Add tags to a session, or remove them",
		Long:  "Add tags to a session, or remove them with --remove.\n\n" + namingHelp,
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && len(remove) == 0 {
				return withExitCode(exitUsage, errors.New("name a tag to add, or one to --remove"))
			}
			return withSession(cmd, args[0], func(s *store.Store, id string) error {
				tags, err := s.Tag(id, args[1:], remove)
				if err != nil {
					return withExitCode(exitInput, err)
				}
				if asJSON {
					return printJSONLines(cmd, []noteResult{{ID: id, Tags: tags}})
				}
				fmt.Fprintf(cmd.ErrOrStderr(), "%s has the tags: %s\n", id, strings.Join(tags, " "))
				return nil
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "as one JSON object")
	cmd.Flags().StringArrayVar(&remove, "remove", nil, "a tag to remove (repeat)")
	return cmd
}
