package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rein/app/catalogue"
	"rein/app/harness"
	store "rein/app/memory"
	"rein/kit/tools/memory"
)

// newMemory is the command rein memory.
func newMemory() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "memory",
		Short: "Show and change what sessions remember for later ones",
		Long: `Show and change what sessions remember for later ones: list, search, show, add, edit, confirm, forget, export, import.

What a session stored after it had read untrusted text, such as a web page, is only proposed: sessions do not see it until
you confirm it.`,
	}
	entries := entryCommands{Kind: catalogue.Memory, Local: func(cmd *cobra.Command) catalogue.Local {
		return catalogue.Local{Options: harness.Options{Warn: warningsTo(cmd)}}
	}}
	cmd.AddCommand(newMemoryList(), newMemorySearch(),
		entries.Do(&cobra.Command{Use: "show ID…", Args: cobra.MinimumNArgs(1), Short: "Show entries whole, as Markdown"}, "show"),
		newMemoryAdd(), newMemoryEdit(),
		entries.Do(&cobra.Command{Use: "confirm ID…", Args: cobra.MinimumNArgs(1), Short: "Confirm proposed entries, so that sessions use them"}, "confirm"),
		entries.Do(&cobra.Command{Use: "forget ID…", Args: cobra.MinimumNArgs(1), Aliases: []string{"delete"}, Short: "Delete entries"}, "forget"),
		newMemoryExport(), newMemoryImport())
	return cmd
}

// withMemory runs do with the store, and with the directory whose project is meant.
func withMemory(cmd *cobra.Command, do func(s *store.Store, project string) error) error {
	h, err := harness.Open(cmd.Context(), harness.Options{Warn: warningsTo(cmd)})
	if err != nil {
		return err
	}
	defer h.Close(cmd.Context())
	s := h.Memory()
	defer s.Close()
	err = do(s, h.Root())
	if store.Refused(err) {
		return withExitCode(exitInput, err)
	}
	return err
}

// memoryFilter are the flags that say which entries are wanted.
type memoryFilter struct {
	q            memory.Query
	since, until string
	asJSON       bool
}

func (f *memoryFilter) add(cmd *cobra.Command, limit int) {
	flags := cmd.Flags()
	flags.BoolVar(&f.q.All, "all", false, "of all projects")
	flags.Var(choiceFlag(&f.q.Scope, memory.User, memory.Project), "scope", "only user (all projects) or project (this directory)")
	flags.Var(choiceFlag(&f.q.Category, memory.Categories()...), "category", strings.Join(memory.Categories(), ", "))
	flags.StringVar(&f.q.Tag, "tag", "", "with this tag")
	flags.StringVar(&f.since, "since", "", "2026-11-22, or 7d: seven days ago")
	flags.StringVar(&f.until, "until", "", "likewise")
	flags.BoolVar(&f.q.Proposed, "proposed", false, "only proposed entries: see rein memory confirm")
	f.q.Limit = limit
	flags.Var(rangeFlag(&f.q.Limit, 1, 100_000), "limit", "how many entries to list")
	flags.BoolVar(&f.asJSON, "json", false, "a JSON line for each entry")
}

// find prints what matches.
func (f *memoryFilter) find(cmd *cobra.Command, text string) error {
	return withMemory(cmd, func(s *store.Store, project string) (err error) {
		q, now := f.q, time.Now()
		q.Text, q.Project = text, project
		for _, t := range []struct {
			flag, text string
			at         *time.Time
		}{{"since", f.since, &q.Since}, {"until", f.until, &q.Until}} {
			if t.text == "" {
				continue
			}
			if *t.at, err = memory.ParseTime(t.text, now); err != nil {
				return withExitCode(exitUsage, fmt.Errorf("--%s: %w", t.flag, err))
			}
		}
		all, total, err := s.Find(cmd.Context(), q)
		if err != nil {
			return err
		}
		if f.asJSON {
			return printJSONLines(cmd, all)
		}
		fmt.Fprint(cmd.OutOrStdout(), printable(catalogue.MemoryLines(all)))
		switch {
		case len(all) == 0:
			fmt.Fprintln(cmd.ErrOrStderr(), "No entry matches.")
		case total > len(all):
			fmt.Fprintf(cmd.ErrOrStderr(), "%d more: --limit\n", total-len(all))
		}
		return nil
	})
}

func newMemoryList() *cobra.Command {
	var f memoryFilter
	cmd := &cobra.Command{
		Use: "list", Short: "List what is remembered, the newest first", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.find(cmd, "") },
	}
	f.add(cmd, 50)
	return cmd
}

func newMemorySearch() *cobra.Command {
	var f memoryFilter
	cmd := &cobra.Command{
		Use: "search WORD…", Short: "Search what is remembered, as the tool memory_recall does", Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.find(cmd, strings.Join(args, " ")) },
	}
	f.add(cmd, 10)
	return cmd
}
