package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rein/app/harness"
	"rein/event"
	"rein/model"
)

// newChat is rein without a command: the chat. setup asks the user for a model where there is none.
func newChat(setup func(*cobra.Command) error) *cobra.Command {
	a := modelFlags{format: "text"}
	var showVersion bool
	cmd := &cobra.Command{
		Use:   "rein",
		Short: "The harness between a language model and your machine",
		Long: `rein lets a language model work on your files. It checks each call of the model, asks you where that is needed, runs the
call in a sandbox, and records it. Without a command rein starts a chat: Ctrl-C stops the turn, Ctrl-D leaves.

Try 'rein demo' first: it needs no key and no network.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if a.print || a.resume == pick && len(args) == 1 {
				return nil
			}
			return knownCommand(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if showVersion { // cobra's own flag would link text/template, and with it 3 MB
				return printVersion(cmd)
			}
			if a.print {
				return a.run(cmd, args)
			}
			if cmd.Flags().Changed("output-format") {
				return withExitCode(exitUsage, errors.New("--output-format is for one task: use it with -p or with rein run"))
			}
			if _, err := a.named(cmd, args, false); err != nil {
				return err
			}
			if a.fullTerminal(cmd) {
				return a.orSetup(cmd, setup)
			}
			return a.chat(cmd)
		},
	}
	cmd.Flags().BoolVar(&showVersion, "version", false, "print the version")
	a.add(cmd)
	cmd.Flags().BoolVarP(&a.print, "print", "p", false, "do one task and print the answer, as rein run -p does")
	cmd.Flags().StringVar(&a.format, "output-format", "text", "with -p: text, json or stream-json")
	a.addLines(cmd)
	a.whichSession.add(cmd.Flags())
	return cmd
}

// addLines adds the flags that keep a terminal from being a screen.
func (a *modelFlags) addLines(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&a.plain, "plain", false, "a plain conversation, line by line, also on a terminal")
	cmd.Flags().BoolVar(&a.accessible, "accessible", false, "for screen readers: line by line, in words instead of marks")
}

func (a *modelFlags) chat(cmd *cobra.Command) error {
	return a.withSession(cmd, false, func(s *harness.Session) error {
		out := cmd.OutOrStdout()
		show := &plainScreen{Out: a.shown(out), Mask: s.Mask(), Quiet: a.quiet, Grants: a.verbose, Asked: true, Words: a.accessible, Own: ownWords(), Colour: showsColours(out)}
		in, err := a.prompter(cmd, show.Own)
		if err != nil {
			return err
		}
		defer in.Close()
		if a.resumes() {
			if err := a.showWhere(show, s); err != nil {
				return err
			}
		}
		sent, err := runTurns(cmd.Context(), show, s, in)
		if sent || a.resumes() {
			a.showLeave(show, s)
		}
		return err
	})
}

// runTurns sends one message after the other until the input ends, and reports whether any was sent.
func runTurns(ctx context.Context, show *plainScreen, s *harness.Session, in prompter) (sent bool, err error) {
	if s.Waiting() {
		if err := runTurn(ctx, show, s.Resume); err != nil {
			return sent, err
		}
	}
	for {
		fmt.Fprintln(show.Out)
		listJobs(show, s)
		line, err := in.Line(ctx)
		switch line = strings.TrimSpace(line); line {
		case "":
		case "/quit", "/exit":
			return sent, nil
		default:
			turn, err := lineTurn(ctx, s, line, show.Show)
			if err != nil {
				fmt.Fprintln(show.Out, "rein:", printable(show.Own.Command(inWords(err))))
				continue
			}
			sent = true
			if err := runTurn(ctx, show, turn); err != nil {
				return sent, err
			}
		}
		if errors.Is(err, io.EOF) {
			fmt.Fprintln(show.Out)
			return sent, nil
		}
		if err != nil {
			return sent, err
		}
	}
}

// A chatTurn begins a turn of the chat.
type chatTurn func(context.Context) iter.Seq2[event.Event, error]

// lineTurn returns the turn of a line: a message, the message of a slash command, or a compaction. A command that is nowhere is an error, and
// is not sent to the model.
func lineTurn(ctx context.Context, s *harness.Session, line string, show func(event.Event) error) (chatTurn, error) {
	send := func(message ...model.Part) chatTurn {
		return func(ctx context.Context) iter.Seq2[event.Event, error] { return s.Send(ctx, message...) }
	}
	name, args, is := slashCommand(line)
	switch {
	case strings.HasPrefix(line, "//"):
		return send(harness.Message(line[1:])...), nil
	case strings.HasPrefix(line, "!"):
		return nil, errNoOwnCommands
	case !is:
		return send(harness.Message(line)...), nil
	case name == "compact":
		return func(ctx context.Context) iter.Seq2[event.Event, error] {
			return saysShort(s.Compact(ctx, strings.TrimSpace(args)))
		}, nil
	}
	message, known, err := expanded(ctx, s, name, args, show)
	if err == nil && !known {
		err = fmt.Errorf("there is no command /%s here, line by line; write // to send a message that begins with a slash", name)
	}
	return send(message...), err
}

// errNoOwnCommands is for who writes ! and a command, as in the chat on a terminal: it must not go to the model.
var errNoOwnCommands = errors.New("a command after ! runs only in the full chat (rein without --plain): use a shell for it, or begin a message with another character")

// saysShort adds to a compaction that nothing was compacted, before its end.
func saysShort(compaction iter.Seq2[event.Event, error]) iter.Seq2[event.Event, error] {
	return func(yield func(event.Event, error) bool) {
		done := false
		for e, err := range compaction {
			done = done || e.Kind == event.Compacted
			if e.Stop == event.Done && !done && !yield(event.Event{Kind: event.Notice, Text: "not compacted: the conversation is short"}, nil) || !yield(e, err) {
				return
			}
		}
	}
}

// runTurn runs one turn; Ctrl-C stops it and the chat continues.
func runTurn(ctx context.Context, show *plainScreen, begin chatTurn) error {
	turn, stop := interruptible(ctx)
	defer stop()
	show.Began = time.Now()
	for e, err := range begin(turn) {
		if e.Kind == event.Prompted {
			continue // the user sees what they typed
		}
		if err := show.Show(e); err != nil {
			return err
		}
		if err != nil && ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return nil
}
