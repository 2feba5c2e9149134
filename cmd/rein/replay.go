package main

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"

	"github.com/spf13/cobra"

	"rein/app/replay"
	"rein/app/sessions"
	"rein/app/settings"
	"rein/event"
	"rein/internal/plaintext"
	"rein/journal"
)

// replayFlags are the flags of rein replay.
type replayFlags struct {
	asJSON, full bool
	other        otherRun
}

// newReplay is the command rein replay.
func newReplay() *cobra.Command {
	var f replayFlags
	cmd := &cobra.Command{
		Use:   "replay SESSION [PROMPT]",
		Short: "Repeat a recorded session exactly, without a model and without running anything",
		Long: `Repeat a recorded session and its sub-agents. The loop and every step of a call run again; the answers of the model, the
decisions and the results are those of the record. No network is used, no program runs, no file is read or written. The
transcript goes to standard output and has no times in it: the same session gives the same bytes.

The exit code is 1 when the repeated run differs from the record: this version of rein would do something else.

With --model, --rules, --mode, --prompt or --new the session happens again with something else, in a copy of the workspace as it was
when the session began. A call that is the same, after the same changes of files, has its recorded result; --new says what happens to
others. The differences are shown as by rein diff, with the same exit codes.

With --until N a new session begins with the past up to event N, in a copy of the workspace as it was then, and goes on live: it
sends PROMPT, or asks the model where its answer was missing.

` + namingHelp,
		Example: `  rein replay q7bzd
  rein replay q7bzd --rules new.json
  rein replay q7bzd --model openai/gpt-5 --new run
  rein replay q7bzd --until 42 'try it without the cache'`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
	}
	f.other.flags(cmd)
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "the run as JSON, with all results")
	cmd.Flags().BoolVar(&f.full, "full", false, "show every line of results and arguments")
	return cmd
}

func (f *replayFlags) run(cmd *cobra.Command, args []string) error {
	o := &f.other
	switch {
	case o.until > 0 && (o.rules != "" || o.prompt != "" || o.news != ""):
		return withExitCode(exitUsage, errors.New("--until goes on live: --rules, --prompt and --new do not go with it"))
	case o.until == 0 && len(args) > 1:
		return withExitCode(exitUsage, errors.New("a PROMPT goes with --until; --prompt FILE replaces the first message"))
	}
	return withSession(cmd, args[0], func(s *sessions.Store, id string) error {
		if o.until == 0 && !o.differs() {
			return f.exactly(cmd, s, id)
		}
		if err := o.open(cmd, s, id); err != nil {
			return err
		}
		if o.until > 0 {
			return o.goOn(args[1:])
		}
		return o.run(f.asJSON)
	})
}

// transcriptLines is how many lines of a result a transcript shows without --full.
const transcriptLines = 10

// exactly repeats a session as it was.
func (f *replayFlags) exactly(cmd *cobra.Command, s *sessions.Store, id string) error {
	r, err := replay.Repeat(cmd.Context(), id, func(id string) iter.Seq2[event.Event, error] { return s.Events(id, 0) }, recordingOf(cmd, id))
	if err != nil {
		return withExitCode(exitInput, err)
	}
	if f.asJSON {
		err = r.Run.WriteJSON(newJSONWriter(cmd.OutOrStdout()))
	} else {
		lines := transcriptLines
		if f.full {
			lines = 0
		}
		err = r.Run.WriteTranscript(cmd.OutOrStdout(), lines)
	}
	if err != nil {
		return err
	}
	if d := replay.Compare(r.Record, r.Run); !d.Equal(true) {
		err := d.WriteText(cmd.ErrOrStderr())
		return errors.Join(err, withExitCode(exitError, errors.New("the replay differs from the record")))
	}
	text := fmt.Sprintf("The same as the record: %s", plaintext.Counted(len(r.Run.Steps), "step"))
	if r.Copied > 0 {
		text += fmt.Sprintf(", %d of them copied", r.Copied)
	}
	_, err = fmt.Fprintln(cmd.ErrOrStderr(), text+". No model was asked, nothing ran.")
	return err
}

// recordingOf reads the recording of a session; nil: there is none that can be read.
func recordingOf(cmd *cobra.Command, id string) *replay.Recording {
	dir, err := journal.Dir(settings.DefaultDirs().Sessions, id)
	if err != nil {
		return nil
	}
	r, err := replay.ReadRecording(dir)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			warningsTo(cmd)(fmt.Sprintf("the recording of session %s is not used: %v", id, err))
		}
		return nil
	}
	return r
}
