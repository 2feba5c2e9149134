package sessions

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"rein/cmd/rein/internal/cli"
	"rein/event"
	"rein/harness"
	store "rein/harness/sessions"
	"rein/harness/settings"
)

// newContext is the command rein sessions context.
func newContext() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "context ID",
		Short: "Show what fills the window of a session's model, by part",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			h, id, err := harnessOf(cmd, args[0])
			if err != nil {
				return err
			}
			defer h.Close(cmd.Context())
			c, err := h.Context(cmd.Context(), id)
			if err != nil {
				return err
			}
			if asJSON {
				return cli.PrintJSON(cmd.OutOrStdout(), c)
			}
			window := max(c.Window, 1)
			fmt.Fprintf(cmd.OutOrStdout(), "%s takes %d tokens; the next request has about %d (%d %%)\n\n", c.Model, c.Window, c.Tokens, 100*c.Tokens/window)
			table := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 4, 2, ' ', tabwriter.AlignRight)
			fmt.Fprintln(table, "tokens\t%\tcount\tpart\t")
			for _, p := range c.Parts {
				fmt.Fprintf(table, "%d\t%.1f\t%s\t%s\t\n", p.Tokens, 100*float64(p.Tokens)/float64(window), countOrDash(p.Count), p.Name)
			}
			fmt.Fprintf(table, "%d\t%.1f\t-\tfree\t\n", max(c.Window-c.Tokens, 0), max(100-100*float64(c.Tokens)/float64(window), 0))
			if err := table.Flush(); err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "\nOld results become references at %d tokens, older messages a summary at %d.\n", c.Limits.References, c.Limits.Summary)
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return cmd
}

func countOrDash(n int) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprint(n)
}

// newCompact is the command rein sessions compact.
func newCompact() *cobra.Command {
	return &cobra.Command{
		Use:   "compact ID [FOCUS]",
		Short: "Replace the older part of a session by a summary now",
		Long: `Replace the older part of a session by notes with a summary that its model writes. FOCUS says what must be kept above
all. The journal keeps everything; the model can read it with the tool recall.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			h, id, err := harnessOf(cmd, args[0])
			if err != nil {
				return err
			}
			defer h.Close(cmd.Context())
			s, err := h.Resume(cmd.Context(), id, harness.NewSession{})
			if err != nil {
				return err
			}
			for e, err := range s.Compact(cmd.Context(), strings.Join(args[1:], " ")) {
				if err != nil {
					return err
				}
				if e.Kind == event.Notice || e.Kind == event.Compacted {
					fmt.Fprintln(cmd.OutOrStdout(), e.Text)
				}
			}
			return nil
		},
	}
}

// harnessOf opens the harness in the directory of a session.
func harnessOf(cmd *cobra.Command, name string) (h *harness.Harness, id string, err error) {
	err = withSession(cmd, name, func(_ *store.Store, found string) error {
		id = found
		how, err := harness.Recorded(settings.DefaultDirs().Sessions, id)
		if err != nil {
			return err
		}
		h, err = harness.Open(cmd.Context(), harness.Options{Dir: how.Dir, Version: cli.Version(),
			Warn: cli.Warn(cmd)})
		return err
	})
	return h, id, err
}
