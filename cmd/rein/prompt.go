package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"rein/app/harness"
)

// newPrompt is the command rein prompt.
func newPrompt() *cobra.Command {
	return withPrompt(&cobra.Command{
		Use:   "prompt",
		Short: "Print the system prompt that a new session would have",
	}, func(cmd *cobra.Command, h *harness.Harness) error {
		text, _, err := h.Prompt()
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(cmd.OutOrStdout(), forTerminal(cmd.OutOrStdout(), text))
		return err
	})
}

// newContext is the command rein context.
func newContext() *cobra.Command {
	var asJSON bool
	cmd := withPrompt(&cobra.Command{
		Use:   "context",
		Short: "Show which instructions a new session would use, and from where",
		Long: `Show which instruction files (AGENTS.md, the files of other programs that mean the same, and what they import) a new session
would use, from where, and which it leaves out. rein sessions context shows what fills the context window of a session.`,
	}, func(cmd *cobra.Command, h *harness.Harness) error {
		text, files, err := h.Prompt()
		if err != nil {
			return err
		}
		if asJSON {
			return printJSON(cmd.OutOrStdout(), map[string]any{"prompt": len(text), "instructions": files})
		}
		out := cmd.OutOrStdout()
		for _, f := range files {
			why := f.Why
			if f.From != "" {
				why = "imported by " + f.From + separated(why)
			}
			fmt.Fprintf(out, "%7d  %-11s  %s%s\n", f.Bytes, f.State, printable(f.Path), separated(printable(why)))
		}
		_, err = fmt.Fprintf(out, "%7d  bytes in the whole system prompt: rein prompt prints it\n", len(text))
		return err
	})
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return cmd
}

func separated(text string) string {
	if text == "" {
		return ""
	}
	return ": " + text
}

// withPrompt returns a command that opens the harness with the flags of a session.
func withPrompt(cmd *cobra.Command, do func(*cobra.Command, *harness.Harness) error) *cobra.Command {
	o := callFlags{}
	cmd.Args = cobra.NoArgs
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		h, err := harness.Open(cmd.Context(), o.Harness(cmd, nil))
		if err != nil {
			return err
		}
		return do(cmd, h)
	}
	o.Add(cmd.Flags())
	return cmd
}
