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
}

// newReplay is the command rein replay.
func newReplay() *cobra.Command {
	var f replayFlags
	cmd := &cobra.Command{
		Use:   "replay SESSION",
		Short: "Repeat a recorded session exactly, without a model and without running anything",
		Long: `Repeat a recorded session and its sub-agents. The loop and every step of a call run again; the answers of the model, the
decisions and the results are those of the record. No network is used, no program runs, no file is read or written. The
transcript goes to standard output and has no times in it: the same session gives the same bytes.

The exit code is 1 when the repeated run differs from the record: this version of rein would do something else.

` + namingHelp,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withSession(cmd, args[0], func(s *sessions.Store, id string) error { return f.exactly(cmd, s, id) })
		},
	}
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "the run as JSON, with all results")
	cmd.Flags().BoolVar(&f.full, "full", false, "show every line of results and arguments")
	return cmd
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
