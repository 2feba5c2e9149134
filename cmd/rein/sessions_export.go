package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"rein/app/harness"
	store "rein/app/sessions"
	"rein/internal/plaintext"
)

func newSessionsExport() *cobra.Command {
	var format, file string
	var asJSON, force bool
	cmd := &cobra.Command{
		Use:   "export ID",
		Short: "Write a session as Markdown, as one HTML page, or as JSON",
		Long: `Write a session as a document: Markdown, one HTML page that needs no network, or JSON with everything, which rein sessions
import reads. An existing file is not overwritten without --force.

` + namingHelp,
		Example: `  rein sessions export q7bzd -o session.html
  rein sessions export q7bzd --format json -o session.json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			f, err := transcriptFormat(format, file, asJSON)
			if err != nil {
				return err
			}
			return withSession(cmd, args[0], func(s *store.Store, id string) error {
				if file == "" || file == "-" {
					return s.Export(cmd.OutOrStdout(), id, f)
				}
				if err := writeNewFile(file, force, func(w io.Writer) error { return s.Export(w, id, f) }); err != nil {
					return err
				}
				fmt.Fprintln(cmd.ErrOrStderr(), "Wrote", file)
				return nil
			})
		},
	}
	cmd.Flags().StringVar(&format, "format", "", "markdown, html or json (default: by the name of the file, else markdown)")
	cmd.Flags().StringVarP(&file, "output", "o", "", "the file to write (default: standard output)")
	cmd.Flags().BoolVar(&force, "force", false, "overwrite the file")
	cmd.Flags().BoolVar(&asJSON, "json", false, "the same as --format json")
	return cmd
}

// transcriptFormats are the formats by the ends of names.
var transcriptFormats = map[string]string{"": "markdown", ".md": "markdown", ".markdown": "markdown", ".txt": "markdown", ".html": "html", ".htm": "html", ".json": "json"}

// transcriptFormat returns the format that the flags choose, or the one of the file's name. A name with another end is an error: what is
// in the file would not be what it says.
func transcriptFormat(format, file string, asJSON bool) (store.TranscriptFormat, error) {
	if asJSON {
		if format != "" && format != "json" {
			return "", withExitCode(exitUsage, errors.New("--json and --format name two formats"))
		}
		format = "json"
	}
	if end := strings.ToLower(filepath.Ext(file)); format == "" {
		if format = transcriptFormats[end]; format == "" {
			return "", withExitCode(exitInput, fmt.Errorf("no such format: %q (expected .md, .html or .json)", end))
		}
	}
	switch format {
	case "md", "markdown":
		return store.MarkdownFormat, nil
	case "html", "json":
		return store.TranscriptFormat(format), nil
	}
	return "", withExitCode(exitUsage, fmt.Errorf("no such format: %q (expected markdown, html or json)", format))
}

// writeNewFile writes a file that was not there, or replaces one. A failure leaves what was there.
func writeNewFile(name string, force bool, write func(io.Writer) error) error {
	if _, err := os.Lstat(name); err == nil && !force {
		return withExitCode(exitInput, fmt.Errorf("%s exists: choose another name, or add --force", name))
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".rein-export-*") // mode 0600: sessions have what only the user may read
	if err != nil {
		if at, ok := errors.AsType[*fs.PathError](err); ok { // of a name that the user did not write
			err = at.Err
		}
		return withExitCode(exitInput, fmt.Errorf("%s cannot be written: %w", name, err))
	}
	out := bufio.NewWriter(f)
	err = errors.Join(write(out), out.Flush(), f.Close())
	if err == nil && force {
		err = os.Rename(f.Name(), name)
	} else if err == nil {
		if err = os.Link(f.Name(), name); errors.Is(err, fs.ErrExist) {
			err = withExitCode(exitInput, fmt.Errorf("%s exists: choose another name, or add --force", name))
		} else if err != nil { // a file system without links
			err = os.Rename(f.Name(), name)
		}
	}
	if at, ok := errors.AsType[*fs.PathError](err); ok && at.Path == f.Name() {
		err = fmt.Errorf("%s cannot be written: %w", name, at.Err)
	}
	if rerr := os.Remove(f.Name()); rerr != nil && !errors.Is(rerr, fs.ErrNotExist) {
		err = errors.Join(err, rerr)
	}
	return err
}

func newSessionsImport() *cobra.Command {
	var dir, id string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "Make a session from a file of rein, Claude Code or Codex",
		Long: `Make a session from a session file: the JSON of rein sessions export, a journal of rein, a file of Claude Code
(~/.claude/projects/…/ID.jsonl) or of Codex (~/.codex/sessions/…/rollout-….jsonl). What could not be converted is
reported. No approval, rule, mode or model is taken from the file.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := readNamedFile(cmd, args[0])
			if err != nil {
				return withExitCode(exitInput, err)
			}
			if dir != "" {
				if dir, err = realDir(dir); err != nil {
					return withExitCode(exitInput, err)
				}
			}
			return withSessions(cmd, func(s *store.Store) error {
				in, err := s.Import(text, store.Import{ID: id, Dir: dir, Mask: harness.EnvironmentMask().Bytes})
				switch {
				case errors.Is(err, store.ErrNoDir):
					return withExitCode(exitUsage, fmt.Errorf("%w: name one with --cwd", err))
				case errors.Is(err, store.ErrUnknownFormat):
					return withExitCode(exitInput, fmt.Errorf("%s: %w", args[0], err))
				case err != nil:
					return withExitCode(exitInput, err)
				case asJSON:
					return printJSONLines(cmd, []store.Imported{in})
				}
				return printImported(cmd, in)
			})
		},
	}
	cmd.Flags().StringVarP(&dir, "cwd", "C", "", "the directory of the session (default: the one that the file names)")
	cmd.Flags().StringVar(&id, "session-id", "", "the ID of the new session (default: one is made)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "as one JSON object")
	return cmd
}

func readNamedFile(cmd *cobra.Command, name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(cmd.InOrStdin())
	}
	return readFile(name)
}

func printImported(cmd *cobra.Command, in store.Imported) error {
	fmt.Fprintln(cmd.OutOrStdout(), in.ID)
	out := cmd.ErrOrStderr()
	fmt.Fprintf(out, "Imported from %s: %s and %s, in %s\n", in.Program, plaintext.Counted(in.Messages, "message"), plaintext.Counted(in.Calls, "call"), oneLine(in.Dir, 200))
	for _, l := range in.Lost {
		fmt.Fprintf(out, "  left out: %s: %d\n", oneLine(l.What, 100), l.Count)
	}
	_, err := fmt.Fprintln(out, "Continue with: rein --resume", in.ID)
	return err
}
