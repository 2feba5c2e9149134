package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	store "rein/app/sessions"
)

// sessionFilter are the flags that choose sessions.
type sessionFilter struct {
	here, all, subAgents bool
	tag                  string
	limit                positiveNumber
	asJSON               bool
}

func (l *sessionFilter) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVar(&l.here, "here", false, "only sessions of this directory")
	flags.StringVar(&l.tag, "tag", "", "only sessions with this tag")
	flags.BoolVar(&l.subAgents, "sub-agents", false, "sessions of sub-agents too")
	flags.BoolVar(&l.all, "all", false, "without a limit")
	flags.VarP(&l.limit, "limit", "n", "at most so many (default 50, search 20)")
	flags.BoolVar(&l.asJSON, "json", false, "as JSON lines")
}

// filter returns the sessions that the flags choose; those of this directory come first.
func (l *sessionFilter) filter(limit int) store.Filter {
	f := store.Filter{Tag: l.tag, SubAgents: l.subAgents, Limit: limit}
	if l.limit > 0 {
		f.Limit = int(l.limit)
	}
	if l.all {
		f.Limit = 0
	}
	f.First, _ = realDir(".") // a directory that is gone comes first for nobody
	if l.here {
		f.Dir = f.First
	}
	return f
}

func newSessionsList() *cobra.Command {
	var l sessionFilter
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the recorded sessions: those of this directory first, then the newest",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return withSessions(cmd, func(s *store.Store) error {
				all, total, err := s.List(cmd.Context(), l.filter(50))
				if err != nil {
					return err
				}
				if l.asJSON {
					return printJSONLines(cmd, all)
				}
				if len(all) == 0 {
					_, err := fmt.Fprintln(cmd.ErrOrStderr(), "No sessions. Try: rein demo")
					return err
				}
				if err := printSessions(cmd.OutOrStdout(), all); err != nil {
					return err
				}
				if total > len(all) {
					fmt.Fprintf(cmd.ErrOrStderr(), "%d of %d sessions; --all shows all, --here those of this directory\n", len(all), total)
				}
				return nil
			})
		},
	}
	l.add(cmd)
	return cmd
}

func printSessions(out io.Writer, all []store.Session) error {
	table := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(table, "ID\tLAST\tCALLS\tENDED\tWHERE\tWHAT")
	for _, s := range all {
		last := "-"
		if !s.Last.IsZero() {
			last = s.Last.Local().Format("2006-01-02 15:04")
		}
		fmt.Fprintf(table, "%s\t%s\t%d\t%s\t%s\t%s\n", s.ID, last, s.Calls, howSessionEnded(s), oneLine(s.Dir, 60), sessionLabel(s))
	}
	return table.Flush()
}

// howSessionEnded says how a session ended.
func howSessionEnded(s store.Session) string {
	how := string(s.Stop)
	switch {
	case s.Bad != "":
		how = "unreadable: " + s.Bad
	case s.Torn:
		how = "cut off by a crash"
	case how == "":
		how = "-"
	}
	if s.Damaged > 0 {
		how += fmt.Sprintf(" (%d damaged)", s.Damaged)
	}
	return how
}

// sessionLabel returns the name, the title and the tags of a session in one line.
func sessionLabel(s store.Session) string {
	text := s.Title
	if s.Name != "" {
		text = s.Name + ": " + s.Title
	}
	for _, t := range s.Tags {
		text += " #" + t
	}
	return oneLine(text, 80)
}
