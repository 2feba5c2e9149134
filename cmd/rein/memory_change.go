package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/spf13/cobra"

	store "rein/app/memory"
	"rein/kit/tools/memory"
)

func newMemoryAdd() *cobra.Command {
	var e memory.Entry
	var expires string
	var user bool
	cmd := &cobra.Command{
		Use: "add TEXT…", Short: "Remember something, for this directory or with --user for all", Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withMemory(cmd, func(s *store.Store, project string) (err error) {
				e.Text, e.By, e.Scope, e.Project = strings.Join(args, " "), "user", memory.Project, project
				if user {
					e.Scope = memory.User
				}
				if expires != "" {
					if e.Expires, err = time.ParseInLocation(time.DateOnly, expires, time.Local); err != nil {
						return withExitCode(exitUsage, fmt.Errorf("--expires %q: expected a day such as 2027-01-31", expires))
					}
				}
				stored, err := s.Put(cmd.Context(), e)
				if err != nil {
					return err
				}
				_, err = fmt.Fprintln(cmd.OutOrStdout(), memory.Name(stored.ID))
				return err
			})
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&user, "user", false, "for all projects")
	e.Category, e.Importance = "knowledge", 5
	flags.Var(choiceFlag(&e.Category, memory.Categories()...), "category", strings.Join(memory.Categories(), ", "))
	flags.Var(rangeFlag(&e.Importance, 0, 10), "importance", "0 to 10")
	flags.StringSliceVar(&e.Tags, "tag", nil, "a tag (repeat)")
	flags.StringVar(&expires, "expires", "", "the day on which the entry expires")
	return cmd
}

func newMemoryEdit() *cobra.Command {
	return &cobra.Command{
		Use: "edit ID", Short: "Change an entry in your editor ($VISUAL, $EDITOR)", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withMemory(cmd, func(s *store.Store, _ string) error {
				id, _ := memory.ParseName(args[0])
				e, ok, err := s.Get(cmd.Context(), id)
				switch {
				case err != nil:
					return err
				case !ok:
					return withExitCode(exitInput, fmt.Errorf("there is no entry %q; rein memory list --all lists them", args[0]))
				}
				var b strings.Builder
				if err := store.Write(&b, []memory.Entry{e}); err != nil {
					return err
				}
				text, err := editText(cmd, b.String())
				if err != nil || text == b.String() {
					return err
				}
				all, err := store.Read(strings.NewReader(text), true)
				if err != nil || len(all) != 1 || all[0].ID != e.ID {
					return withExitCode(exitInput, cmp.Or(err, fmt.Errorf("the text must have the one entry %s", memory.Name(e.ID))))
				}
				_, err = s.Put(cmd.Context(), all[0])
				return err
			})
		},
	}
}

// editText returns a text after the user's editor.
func editText(cmd *cobra.Command, text string) (string, error) {
	f, err := os.CreateTemp("", "rein-memory-*.md")
	if err != nil {
		return "", err
	}
	defer os.Remove(f.Name())
	if _, err = f.WriteString(text); err == nil {
		err = f.Close()
	}
	if err != nil {
		return "", err
	}
	words := strings.Fields(cmp.Or(os.Getenv("VISUAL"), os.Getenv("EDITOR"), "vi"))
	editor := exec.CommandContext(cmd.Context(), words[0], append(words[1:], f.Name())...)
	editor.Stdin, editor.Stdout, editor.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := editor.Run(); err != nil {
		return "", fmt.Errorf("the editor %s: %w", words[0], err)
	}
	changed, err := os.ReadFile(f.Name())
	return string(changed), err
}

func newMemoryExport() *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use: "export [FILE]", Short: "Write what is remembered as Markdown", Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withMemory(cmd, func(s *store.Store, project string) error {
				entries, err := s.Every(cmd.Context(), project, all)
				if err != nil {
					return err
				}
				if len(args) == 0 {
					return store.Write(cmd.OutOrStdout(), entries)
				}
				f, err := os.OpenFile(args[0], os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
				if err != nil {
					return withExitCode(exitInput, err)
				}
				return errors.Join(store.Write(f, entries), f.Close())
			})
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "of all projects")
	return cmd
}

func newMemoryImport() *cobra.Command {
	return &cobra.Command{
		Use: "import [FILE]", Short: "Add entries from Markdown, as export writes it", Args: cobra.MaximumNArgs(1),
		Long: `Add entries from Markdown, as export writes it: a heading "## …" for each entry, lines "- name: value" for what is not the
default, an empty line, the text. The same text in the same scope changes the entry that is there. All are added or none.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return withMemory(cmd, func(s *store.Store, _ string) error {
				var in io.Reader = cmd.InOrStdin()
				if len(args) > 0 && args[0] != "-" {
					text, err := readFile(args[0])
					if err != nil {
						return withExitCode(exitInput, err)
					}
					in = bytes.NewReader(text)
				}
				all, err := store.Read(in, false)
				if err == nil {
					err = s.PutAll(cmd.Context(), all)
				}
				if err != nil {
					return withExitCode(exitInput, err)
				}
				fmt.Fprintln(cmd.ErrOrStderr(), "Imported", len(all))
				return nil
			})
		},
	}
}
