package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"rein/app/harness"
	store "rein/app/sessions"
	"rein/app/settings"
	"rein/internal/plaintext"
	"rein/kit/undo"
)

// forkResult is what fork and rewind print with --json.
type forkResult struct {
	ID   string `json:"id"`
	From string `json:"from,omitempty"`
	At   int64  `json:"at,omitempty"`
}

func newSessionsFork() *cobra.Command {
	var asJSON bool
	var at positiveNumber
	var id string
	cmd := &cobra.Command{
		Use:   "fork ID",
		Short: "Make a new session with the history of another one",
		Long: `Make a new session with the history of another one, up to and including the message of --at. The other one stays as it is. The
ID of the new session goes to standard output. rein sessions show --messages lists the numbers of the messages.

` + namingHelp,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withSession(cmd, args[0], func(s *store.Store, from string) error {
				fork, err := s.Fork(from, int64(at), id)
				if err != nil {
					return withExitCode(exitInput, err)
				}
				if asJSON {
					return printJSONLines(cmd, []forkResult{{fork, from, int64(at)}})
				}
				fmt.Fprintln(cmd.OutOrStdout(), fork)
				return nil
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "as one JSON object")
	cmd.Flags().Var(&at, "at", "the number of the last message (default: all of the session)")
	cmd.Flags().StringVar(&id, "session-id", "", "the ID of the new session (default: one is made)")
	return cmd
}

func newSessionsRewind() *cobra.Command {
	var asJSON bool
	what := "conversation"
	cmd := &cobra.Command{
		Use:   "rewind ID [MESSAGE]",
		Short: "Go back in a session to before a message of the user",
		Long: `Take the conversation of a session back to before the message of the user with this number; without MESSAGE, choose one
from a list. What followed stays in the journal: rein sessions fork --at makes a session from it. With --what files or both,
the files of the workspace go back too: see rein undo; rein redo restores them.

` + namingHelp,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withSession(cmd, args[0], func(s *store.Store, id string) error {
				at, err := chooseMessage(cmd, s, id, args[1:])
				if err == nil && what != "conversation" {
					err = rewindFiles(cmd, id, at)
				}
				if err != nil {
					return err
				}
				if what != "files" {
					if err := s.Rewind(id, at, ""); err != nil {
						return err
					}
				}
				if asJSON {
					return printJSONLines(cmd, []forkResult{{ID: id, At: at}})
				}
				if what != "files" {
					fmt.Fprintf(cmd.ErrOrStderr(), "%s is back at message %d. Continue with: rein --resume %s\n", id, at, id)
				}
				return nil
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "as one JSON object")
	cmd.Flags().Var(choiceFlag(&what, "conversation", "files", "both"), "what", "what goes back: conversation, files or both")
	return cmd
}

// rewindFiles takes back what the session did to files since the message. What was changed by others meanwhile stays.
func rewindFiles(cmd *cobra.Command, id string, at int64) (err error) {
	ctx := cmd.Context()
	recorded, err := harness.Recorded(settings.DefaultDirs().Sessions, id)
	if err != nil {
		return err
	}
	h, err := harness.Open(ctx, harness.Options{Dir: recorded.Dir, Terms: harness.Terms{AddDirs: recorded.AddDirs}, Version: programVersion()})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.Close(ctx)) }()
	files, err := h.FileHistory(id)
	if err != nil {
		return err
	}
	plan, err := files.Plan(ctx, undo.Selection{Filter: undo.Filter{Message: at}})
	if errors.Is(err, undo.ErrNothing) {
		fmt.Fprintln(cmd.ErrOrStderr(), "no call has changed files since that message")
		return nil
	}
	if err != nil {
		return withExitCode(exitInput, err)
	}
	out, err := files.Undo(ctx, plan, &undo.Answers{})
	if err != nil {
		return withExitCode(exitInput, err)
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "%s of files taken back, to before the message; rein redo restores them\n", plaintext.Counted(len(out.Changes), "change"))
	if left := len(out.Conflicts) + len(out.Uncovered) + len(out.Failed); left > 0 {
		return withExitCode(exitError, fmt.Errorf("files that were left as they are: %d; the conversation was left too: rein undo --session %s --message %d --dry-run shows why", left, id, at))
	}
	return nil
}

// chooseMessage returns the number of a message of the user: the argument, or the one that the person at the terminal chooses.
func chooseMessage(cmd *cobra.Command, s *store.Store, id string, args []string) (int64, error) {
	all, err := s.Messages(id)
	if err != nil {
		return 0, err
	}
	if len(args) == 1 {
		at, err := strconv.ParseInt(args[0], 10, 64)
		if err != nil || at < 1 {
			return 0, withExitCode(exitUsage, fmt.Errorf("%q is not the number of a message: rein sessions show --messages lists them", args[0]))
		}
		if !slices.ContainsFunc(all, func(m store.Message) bool { return m.User && !m.Gone && m.Seq == at }) {
			return 0, withExitCode(exitInput, fmt.Errorf("no message of the user has this number: %d", at))
		}
		return at, nil
	}
	var rows []string
	var numbers []int64
	for _, m := range all {
		if m.User && !m.Gone {
			rows, numbers = append(rows, m.Time.Local().Format("01-02 15:04")+"  "+oneLine(m.Text, 100)), append(numbers, m.Seq)
		}
	}
	if len(rows) == 0 {
		return 0, withExitCode(exitInput, errors.New("the conversation has no message of the user"))
	}
	if !newApprovalTerminal(os.Stdin, os.Stderr).Present() {
		return 0, withExitCode(exitUsage, errors.New("nobody is there to choose a message: name its number"))
	}
	n, err := chooseRow(cmd, "Go back to before which message?", rows)
	if err != nil {
		return 0, err
	}
	return numbers[n], nil
}
