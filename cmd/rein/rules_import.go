package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"rein/app/settings"
)

func newRulesImport() *cobra.Command {
	return &cobra.Command{
		Use:   "import FILE…",
		Short: "Read the permissions of Claude Code, Codex, Gemini CLI, opencode or crush and print them as rules",
		Long: `Read the permissions of another agent and print them as "permissions" for a settings file. rein finds out by
itself which agent a file belongs to. It reports on standard error what has another meaning here, or none. If in doubt it
allows less.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, files []string) error {
			im := &rulesImporter{Read: settings.ReadFile, Tools: settings.ToolNames(), Report: cmd.ErrOrStderr()}
			for _, f := range files {
				if err := im.File(f); err != nil {
					return withExitCode(exitInput, fmt.Errorf("%s: %w", f, err))
				}
			}
			return printJSON(cmd.OutOrStdout(), map[string]any{"permissions": im.Permissions()})
		},
	}
}
