package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"rein/app/harness"
	store "rein/app/sessions"
	"rein/app/settings"
	"rein/event"
)

// newSessionsContext is the command rein sessions context.
func newSessionsContext() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "context ID",
		Short: "Show what fills the window of a session's model, by part",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			h, id, err := openHarnessOf(cmd, args[0])
			if err != nil {
				return err
			}
			defer h.Close(cmd.Context())
			c, err := h.Context(cmd.Context(), id)
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), c)
			}
			out, whole := cmd.OutOrStdout(), c.Window
			text := fmt.Sprintf("Old results become references at %d tokens, older messages a summary at %d.", c.Limits.References, c.Limits.Summary)
			if whole > 0 {
				fmt.Fprintf(out, "%s takes %d tokens; the next request has about %d (%d %%)\n\n", c.Model, whole, c.Tokens, 100*c.Tokens/whole)
				if c.Assumed {
					text += "\nThe window is assumed, because nothing is known of the model. The setting \"models\" can name it."
				}
			} else {
				fmt.Fprintf(out, "How many tokens %s takes is not known; the next request has about %d\n\n", c.Model, c.Tokens)
				text = `Older messages are replaced when the provider refuses a request as too long. The setting "models" can name the window.`
				for _, p := range c.Parts {
					whole += p.Tokens
				}
			}
			share := func(tokens int) float64 { return 100 * float64(tokens) / float64(max(whole, 1)) }
			table := tabwriter.NewWriter(out, 0, 4, 2, ' ', tabwriter.AlignRight)
			fmt.Fprintln(table, "tokens\t%\tcount\tpart\t")
			for _, p := range c.Parts {
				fmt.Fprintf(table, "%d\t%.1f\t%s\t%s\t\n", p.Tokens, share(p.Tokens), countOrDash(p.Count), p.Name)
			}
			if free := max(c.Window-c.Tokens, 0); c.Window > 0 {
				fmt.Fprintf(table, "%d\t%.1f\t-\tfree\t\n", free, share(free))
			}
			if err := table.Flush(); err != nil {
				return err
			}
			_, err = fmt.Fprintf(out, "\n%s\n", text)
			return err
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

// newSessionsCompact is the command rein sessions compact.
func newSessionsCompact() *cobra.Command {
	return &cobra.Command{
		Use:   "compact ID [FOCUS]",
		Short: "Replace the older part of a session by a summary now",
		Long: `Replace the older part of a session by notes with a summary that its model writes. FOCUS says what must be kept above
all. The journal keeps everything; the model can read it with the tool recall.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			h, id, err := openHarnessOf(cmd, args[0])
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

// openHarnessOf opens the harness in the directory of a session.
func openHarnessOf(cmd *cobra.Command, name string) (h *harness.Harness, id string, err error) {
	err = withSession(cmd, name, func(_ *store.Store, found string) error {
		id = found
		how, err := harness.Recorded(settings.DefaultDirs().Sessions, id)
		if err != nil {
			return err
		}
		h, err = harness.Open(cmd.Context(), harness.Options{Dir: how.Dir, Version: programVersion(),
			Warn: warningsTo(cmd)})
		return err
	})
	return h, id, err
}
