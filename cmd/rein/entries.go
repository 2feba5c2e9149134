package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"rein/app/catalogue"
)

// cliEntries makes the commands over one kind of entries of the catalogue.
type cliEntries struct {
	Kind  catalogue.Kind
	Local func(*cobra.Command) catalogue.Local

	Head  string                                           // the first row of the table; "": none
	Row   func(catalogue.Entry) []string                   // the columns of an entry
	Print func(cmd *cobra.Command, l catalogue.List) error // shows the list; nil: as a table
	None  func(*cobra.Command) error                       // says that there are no entries; nil: an empty table
	Array bool                                             // JSON is one array, not a line for each entry
}

// List makes the command that lists the entries. help is that of its flag --json.
func (k cliEntries) List(cmd *cobra.Command, help string) *cobra.Command {
	var asJSON bool
	cmd.Args = cobra.NoArgs
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		list, err := k.Local(cmd).List(cmd.Context(), k.Kind)
		values := []any{}
		for _, e := range list.Entries {
			values = append(values, e.Value)
		}
		switch {
		case err != nil:
			return err
		case asJSON && k.Array:
			return printJSON(cmd.OutOrStdout(), values)
		case asJSON:
			return printLines(cmd, values)
		case k.Print != nil:
			return k.Print(cmd, list)
		case len(values) == 0 && k.None != nil:
			return k.None(cmd)
		}
		return k.table(cmd.OutOrStdout(), list.Entries)
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, help)
	return cmd
}

func (k cliEntries) table(out io.Writer, all []catalogue.Entry) error {
	t := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	if k.Head != "" {
		fmt.Fprintln(t, k.Head)
	}
	for _, e := range all {
		fmt.Fprintln(t, cliShown(strings.Join(k.Row(e), "\t")))
	}
	return t.Flush()
}

// Do makes the command that shows or changes the entry that its argument names.
func (k cliEntries) Do(cmd *cobra.Command, verb string) *cobra.Command {
	cmd.Args = cobra.ExactArgs(1)
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return k.do(cmd, k.Local(cmd), verb, args[0]) }
	return cmd
}

// DoAll makes the command that shows or changes the entries that its arguments name. All of them must be there before the first is
// changed.
func (k cliEntries) DoAll(cmd *cobra.Command, verb string) *cobra.Command {
	cmd.Args = cobra.MinimumNArgs(1)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		l := k.Local(cmd)
		for _, name := range args {
			if _, err := l.Do(cmd.Context(), catalogue.Request{Kind: k.Kind, Verb: "show", Name: name}); err != nil {
				return err
			}
			l.Options.Warn = nil // what is wrong with files is said once
		}
		for _, name := range args {
			if err := k.do(cmd, l, verb, name); err != nil {
				return err
			}
		}
		return nil
	}
	return cmd
}

// do prints what was asked for to standard output, and what is reported beside it to standard error.
func (k cliEntries) do(cmd *cobra.Command, l catalogue.Local, verb, name string) error {
	text, err := l.Do(cmd.Context(), catalogue.Request{Kind: k.Kind, Verb: verb, Name: name})
	out := cmd.ErrOrStderr()
	if err == nil && (verb == "show" || verb == "get" || verb == "test") {
		out = cmd.OutOrStdout()
	}
	fmt.Fprint(out, cliShown(text))
	return err
}
