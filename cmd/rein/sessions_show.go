package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"

	"github.com/spf13/cobra"

	store "rein/app/sessions"
	"rein/event"
)

func newSessionsShow() *cobra.Command {
	var asJSON, messages, follow, usage bool
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "Print one session",
		Long: `Print one session. With --follow, print also what another process adds to it, until Ctrl-C: this only reads.

` + namingHelp,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withSession(cmd, args[0], func(s *store.Store, id string) error {
				switch {
				case messages && follow, usage && (messages || follow):
					return withExitCode(exitUsage, errors.New("--messages, --usage and --follow exclude each other"))
				case usage:
					return showUsage(cmd, s, id, asJSON)
				case messages:
					return showMessages(cmd, s, id, asJSON)
				case follow:
					ctx, stop := interruptible(cmd.Context())
					defer stop()
					return showEvents(cmd, s.Follow(ctx, id, 0), asJSON)
				}
				return showEvents(cmd, s.Events(id, 0), asJSON)
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON lines: the events as they are recorded")
	cmd.Flags().BoolVar(&messages, "messages", false, "only the messages, each with its number: see rein sessions fork and rewind")
	cmd.Flags().BoolVar(&usage, "usage", false, "what it used: tokens, money and time for each message and each tool")
	cmd.Flags().BoolVarP(&follow, "follow", "f", false, "also print what another process adds, until Ctrl-C")
	return cmd
}

func showEvents(cmd *cobra.Command, events iter.Seq2[event.Event, error], asJSON bool) error {
	screen := &plainScreen{Out: cmd.OutOrStdout(), Times: true, Colour: showsColours(cmd.OutOrStdout())}
	enc := json.NewEncoder(newJSONWriter(cmd.OutOrStdout()))
	enc.SetEscapeHTML(false)
	for e, err := range events {
		switch {
		case err != nil:
			return withExitCode(exitInput, err)
		case asJSON:
			err = enc.Encode(e)
		default:
			err = screen.Show(shownEvent(e, nil))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func showMessages(cmd *cobra.Command, s *store.Store, id string, asJSON bool) error {
	all, err := s.Messages(id)
	if err != nil {
		return err
	}
	if asJSON {
		return printJSONLines(cmd, all)
	}
	for _, m := range all {
		printMessage(cmd, m)
	}
	return nil
}

func printMessage(cmd *cobra.Command, m store.Message) {
	who, gone := "model", ""
	if m.User {
		who = "user"
	}
	if m.Gone {
		gone = "  (not in the conversation)"
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%6d  %s  %-5s  %s%s\n", m.Seq, m.Time.Local().Format("01-02 15:04"), who, oneLine(m.Text, 100), gone)
}
