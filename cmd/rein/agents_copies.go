package main

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"rein/app/harness"
)

// copyRow is one copy, as --json prints it.
type copyRow struct {
	ID      string    `json:"id"`
	Name    string    `json:"name,omitempty"`
	Session string    `json:"session"`
	Open    bool      `json:"open"` // a process has the session open
	Source  string    `json:"source"`
	Path    string    `json:"path"`
	Made    time.Time `json:"made"`
}

// newCopies is the command for the copies of workspaces in which sub-agents work.
func newCopies(options *callFlags) *cobra.Command {
	var all, asJSON bool
	cmd := &cobra.Command{
		Use: "copies", Short: "List the copies of workspaces that sub-agents left, and remove them", Args: cobra.NoArgs,
		Long: `List the copies of the workspace in which sub-agents work, or left changes that nobody has merged (agent_apply). A copy
without changes is removed by itself.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return withHarness(cmd, options, func(h *harness.Harness) error {
				list := listCopies(h, all)
				if asJSON {
					return printJSONLines(cmd, list)
				}
				w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
				for _, c := range list {
					state := "left"
					if c.Open {
						state = "session open"
					}
					fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", c.ID, printable(c.Name), state, c.Made.Format(time.DateTime), printable(c.Source))
				}
				return w.Flush()
			})
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "of all directories")
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON lines")
	cmd.PersistentFlags().StringVarP(&options.Dir, "cwd", "C", ".", "in this directory")
	cmd.AddCommand(newCopiesShow(options), newCopiesRemove(options))
	return cmd
}

func newCopiesShow(options *callFlags) *cobra.Command {
	return &cobra.Command{
		Use: "show ID", Short: "Show where a copy is and which files were changed there", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withHarness(cmd, options, func(h *harness.Harness) error {
				all := h.Copies().List()
				at, err := findByID(len(all), func(i int) string { return all[i].ID }, args[0])
				if err != nil {
					return err
				}
				c := all[at]
				changes, err := c.Changes(cmd.Context())
				if err != nil {
					return err
				}
				_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s\n%s\n", printable(c.Root()), printable(changes.String()))
				return err
			})
		},
	}
}

func newCopiesRemove(options *callFlags) *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use: "remove ID…", Short: "Remove copies with all changes in them", Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withHarness(cmd, options, func(h *harness.Harness) error {
				all := h.Copies().List()
				for _, id := range args {
					at, err := findByID(len(all), func(i int) string { return all[i].ID }, id)
					if err != nil {
						return err
					}
					c := all[at]
					if h.Store().Holder(c.Session).PID != 0 && !force {
						return fmt.Errorf("the session %s, to which the copy %s belongs, is open: end it first, or use --force", c.Session, c.ID)
					}
					if err := c.Remove(); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
	cmd.Flags().BoolVar(&force, "force", false, "also those of sessions that are open")
	return cmd
}

func withHarness(cmd *cobra.Command, options *callFlags, work func(*harness.Harness) error) error {
	h, err := harness.Open(cmd.Context(), options.Harness(cmd, nil))
	if err != nil {
		return err
	}
	defer h.Close(cmd.Context())
	return work(h)
}

// listCopies returns the copies of the harness's directory, or all.
func listCopies(h *harness.Harness, all bool) (list []copyRow) {
	for _, t := range h.Copies().List() {
		if all || t.Source == h.Root() {
			list = append(list, copyRow{t.ID, t.Name, t.Session, h.Store().Holder(t.Session).PID != 0, t.Source, t.Root(), t.Made()})
		}
	}
	return list
}

// findByID returns the index of the copy with an id, or the beginning of it. There are n copies, of all directories.
func findByID(n int, idOf func(i int) string, id string) (int, error) {
	var found []int
	for i := range n {
		if idOf(i) == id {
			return i, nil
		}
		if id != "" && strings.HasPrefix(idOf(i), id) {
			found = append(found, i)
		}
	}
	if len(found) == 1 {
		return found[0], nil
	}
	what := "no copy has"
	if len(found) > 1 {
		what = "several copies have"
	}
	return 0, withExitCode(exitInput, fmt.Errorf("%s an id that begins with %q: see rein agents copies --all", what, id))
}
