package sessions

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"rein/cmd/rein/internal/cli"
	"rein/cmd/rein/internal/console"
	"rein/event"
	"rein/harness/settings"
	"rein/journal"
)

func newSessionsShow() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "Print one session",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			_, dir, err := cli.SessionNamed(settings.DefaultDirs().Sessions, args[0])
			if err != nil {
				return err
			}
			name := filepath.Join(dir, journal.FileName)
			s := &console.Screen{Out: cmd.OutOrStdout(), Times: true}
			enc := json.NewEncoder(cmd.OutOrStdout())
			enc.SetEscapeHTML(false)
			for e, err := range journal.Read(name) {
				switch {
				case errors.Is(err, journal.ErrTorn):
					fmt.Fprintln(cmd.ErrOrStderr(), "rein: warning:", err)
					return nil
				case err != nil:
					return cli.Fail(cli.ExitInput, fmt.Errorf("%s: %w", name, err))
				case asJSON:
					err = enc.Encode(e)
				default:
					err = s.Show(recorded(e))
				}
				if err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "the events as they are recorded")
	return cmd
}

// recorded makes an event of the journal one that the screen shows: the model's text was live then.
func recorded(e event.Event) event.Event {
	if e.Kind == event.Responded {
		e.Kind = event.Delta
		if e.Text != "" {
			e.Text += "\n"
		}
	}
	return e
}
