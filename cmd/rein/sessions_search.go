package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	store "rein/app/sessions"
)

func newSessionsSearch() *cobra.Command {
	var l sessionFilter
	cmd := &cobra.Command{
		Use:   "search WORD…",
		Short: "Find sessions by what was said and done in them",
		Long: `Find sessions in which one message, call or result has all the words. Words in quotes must follow each other; the last
word may be the beginning of one. Case and accents do not count. Names and tags are searched too.`,
		Example: `  rein sessions search parser dates
  rein sessions search '"exit code 42"' --here`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withSessions(cmd, func(s *store.Store) error {
				f := l.filter(0)
				if l.all {
					f.Limit = 1 << 30
				}
				hits, err := s.Search(cmd.Context(), strings.Join(args, " "), f)
				if err != nil {
					return err
				}
				if l.asJSON {
					return printJSONLines(cmd, hits)
				}
				if len(hits) == 0 {
					_, err := fmt.Fprintln(cmd.ErrOrStderr(), "No session has these words.")
					return err
				}
				colour := showsColours(cmd.OutOrStdout())
				for _, h := range hits {
					printHit(cmd.OutOrStdout(), h, colour)
				}
				return nil
			})
		},
	}
	l.add(cmd)
	return cmd
}

func printHit(out io.Writer, h store.Hit, colour bool) {
	s := h.Session
	fmt.Fprintf(out, "%s  %s  %s  %s\n", s.ID, s.Last.Local().Format("2006-01-02 15:04"), oneLine(s.Dir, 60), sessionLabel(s))
	for _, m := range h.Matches {
		if m.Seq > 0 {
			fmt.Fprintf(out, "  %-6s %5d  %s\n", m.Kind, m.Seq, emphasised(m, colour))
		}
	}
	if h.More {
		fmt.Fprintln(out, "                …")
	}
}

// emphasised is the text of a match with the words that were found in bold.
func emphasised(m store.Match, colour bool) string {
	var b strings.Builder
	from := 0
	for _, h := range m.Hits {
		b.WriteString(printable(m.Text[from:h[0]]))
		found := printable(m.Text[h[0]:h[1]])
		if colour {
			found = "\x1b[1m" + found + "\x1b[22m"
		}
		b.WriteString(found)
		from = h[1]
	}
	b.WriteString(printable(m.Text[from:]))
	return b.String()
}
