package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"rein/event"
	"rein/harness"
	"rein/model"
)

// newChat is rein without a command: a plain conversation, line by line.
func newChat() *cobra.Command {
	a := asking{format: "text"}
	cmd := &cobra.Command{
		Use:   "rein",
		Short: "The harness between a language model and the world",
		Long: `rein lets a language model work on your files: each call is judged, asked about where it should be, run inside
limits, and recorded. Without a command it is a plain chat; Ctrl-C stops what runs, Ctrl-D ends it.

Try 'rein demo' first: it needs no key and no network.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if a.print {
				return nil
			}
			return knownCommand(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if a.print {
				return a.run(cmd, args)
			}
			if cmd.Flags().Changed("output-format") {
				return coded{exitUsage, errors.New("--output-format is for one task: use it with -p or with rein run")}
			}
			return a.chat(cmd)
		},
	}
	a.add(cmd)
	cmd.Flags().BoolVarP(&a.print, "print", "p", false, "do one task and answer, as rein run -p does")
	cmd.Flags().StringVar(&a.format, "output-format", "text", "with -p: text, json or stream-json")
	cmd.Flags().StringVarP(&a.resume, "resume", "r", "", "go on with this session")
	cmd.Flags().BoolVarP(&a.goOn, "continue", "c", false, "go on with the newest session of this directory")
	return cmd
}

func (a *asking) chat(cmd *cobra.Command) error {
	return a.withSession(cmd, func(s *harness.Session) error {
		show := &screen{out: a.shown(cmd.OutOrStdout()), mask: s.Mask(), quiet: a.quiet, grants: a.verbose, asked: true, colour: colours256(cmd.OutOrStdout())}
		in, err := a.prompter(cmd)
		if err != nil {
			return err
		}
		defer in.Close()
		if s.Waiting() {
			if err := turnOf(cmd.Context(), show, s, ""); err != nil {
				return err
			}
		}
		for {
			fmt.Fprintln(cmd.OutOrStdout())
			listJobs(cmd.OutOrStdout(), s)
			line, err := in.Line(cmd.Context())
			if line = strings.TrimSpace(line); line != "" {
				if line == "/quit" || line == "/exit" {
					return nil
				}
				if err := turnOf(cmd.Context(), show, s, line); err != nil {
					return err
				}
			}
			if errors.Is(err, io.EOF) {
				fmt.Fprintln(cmd.OutOrStdout())
				return nil
			}
			if err != nil {
				return err
			}
		}
	})
}

// turnOf sends one line, or resumes when it is empty; Ctrl-C stops it and the chat goes on.
func turnOf(ctx context.Context, show *screen, s *harness.Session, line string) error {
	turn, stop := interruptible(ctx)
	defer stop()
	events := s.Resume(turn)
	if line != "" {
		events = s.Send(turn, model.Text(line))
	}
	for e, err := range events {
		if e.Kind == event.Prompted {
			continue // the user sees what they typed
		}
		if err := show.show(e); err != nil {
			return err
		}
		if err != nil && ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return nil
}
