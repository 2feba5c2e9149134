package main

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"rein/app/sessions"
	"rein/app/settings"
	"rein/internal/plaintext"
	"rein/journal"
)

// backupParts are the directories that a backup holds: all but caches.
func backupParts() []sessions.Part {
	d := settings.DefaultDirs()
	return []sessions.Part{{Name: "config", Dir: d.Config}, {Name: "sessions", Dir: d.Sessions}, {Name: "state", Dir: d.State}, {Name: "output", Dir: d.Output}}
}

// newBackup makes the command backup.
func newBackup() *cobra.Command {
	var force, asJSON bool
	cmd := &cobra.Command{
		Use:   "backup FILE",
		Short: "Save everything that rein keeps in one file",
		Long: `Save everything that rein keeps in one file: settings, sessions, memory, tasks, trust, what undo keeps, users and audit log of
the server, kept outputs. Caches are left out, and so is the system's keyring. Sessions and the server may be at work. The file has
keys and what your files contained: protect it like them. Only you may read it (mode 0600).`,
		Example: "  rein backup ~/backups/rein-$(date +%F).tar.zst",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := sessions.Backup(cmd.Context(), args[0], backupParts(), programVersion(), force)
			if err != nil {
				return backupError(err)
			}
			if err := printSaved(cmd, s, asJSON, "saved in "+shownName(args[0])); err != nil || asJSON {
				return err
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), "The file has your keys and the contents of your files: protect it like them.")
			return err
		},
	}
	cmd.Flags().BoolVar(&force, "force", false, "replace FILE when it is there")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// newRestore makes the command restore.
func newRestore() *cobra.Command {
	var force, check, asJSON bool
	cmd := &cobra.Command{
		Use:   "restore FILE",
		Short: "Restore what rein backup saved",
		Long: `Restore what rein backup saved. The whole file is read and its checksums are compared before anything changes. Where rein keeps
files already it refuses; with --force these directories are kept beside, as NAME.before-TIME. End the server and all sessions first.`,
		Example: "  rein restore --check rein.tar.zst     compare the checksums, and change nothing",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			var s sessions.Saved
			done := "restored from " + shownName(args[0])
			if check {
				s, err = sessions.CheckBackup(cmd.Context(), args[0], backupParts())
				done = "can be restored from " + shownName(args[0])
			} else {
				s, err = sessions.Restore(cmd.Context(), args[0], backupParts(), force)
			}
			if err != nil {
				return backupError(err)
			}
			return printSaved(cmd, s, asJSON, done)
		},
	}
	cmd.Flags().BoolVar(&force, "force", false, "also where rein keeps files already; they are kept beside")
	cmd.Flags().BoolVar(&check, "check", false, "only check the file")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// backupError gives an error the exit code of the process, and a hint.
func backupError(err error) error {
	hint := ""
	switch {
	case errors.Is(err, fs.ErrExist):
		hint = " (--force replaces it)"
	case errors.Is(err, sessions.ErrNotEmpty):
		hint = " (--force keeps them beside, and restores)"
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, sessions.ErrBadBackup), errors.Is(err, sessions.ErrNewerBackup), errors.Is(err, journal.ErrHeld):
	default:
		return settings.Unwritable(err)
	}
	return withExitCode(exitInput, fmt.Errorf("%w%s", err, hint))
}

// printSaved says what is in a backup; done is what was done with it.
func printSaved(cmd *cobra.Command, s sessions.Saved, asJSON bool, done string) error {
	out := cmd.OutOrStdout()
	if asJSON {
		return printJSONLines(cmd, []sessions.Saved{s})
	}
	for _, text := range s.Notes {
		fmt.Fprintf(cmd.ErrOrStderr(), "rein: %s\n", shownName(text))
	}
	_, err := fmt.Fprintf(out, "%s, %.1f MB, %s (rein %s, %s)\n", plaintext.Counted(s.Files, "file"), float64(s.Bytes)/1e6, done, shownName(s.Rein), s.Made.Local().Format("2006-01-02 15:04:05"))
	for _, dir := range s.Kept {
		fmt.Fprintf(out, "what was there is in %s\n", shownName(dir))
	}
	return err
}
