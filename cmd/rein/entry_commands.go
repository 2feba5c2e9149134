package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"rein/app/catalogue"
)

// entryCommands makes the commands over one kind of entries of the catalogue.
type entryCommands struct {
	Kind  catalogue.Kind
	Local func(*cobra.Command) catalogue.Local

	Head  string                                           // the first row of the table; "": none
	Row   func(catalogue.Entry) []string                   // the columns of an entry
	Print func(cmd *cobra.Command, l catalogue.List) error // shows the list; nil: as a table
	None  func(*cobra.Command) error                       // says that there are no entries; nil: an empty table
	Array bool                                             // JSON is one array, not a line for each entry
}

// List makes the command that lists the entries. help is that of its flag --json.
func (k entryCommands) List(cmd *cobra.Command, help string) *cobra.Command {
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
			return printJSONLines(cmd, values)
		case len(values)+len(list.Warnings) == 0 && k.None != nil:
			return k.None(cmd)
		case k.Print != nil:
			return k.Print(cmd, list)
		}
		return k.table(cmd.OutOrStdout(), list.Entries)
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, help)
	return cmd
}

func (k entryCommands) table(out io.Writer, all []catalogue.Entry) error {
	t := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	if k.Head != "" {
		fmt.Fprintln(t, k.Head)
	}
	for _, e := range all {
		fmt.Fprintln(t, printable(strings.Join(k.Row(e), "\t")))
	}
	return t.Flush()
}

// Do makes the command that shows or changes the entries that its arguments name: one, unless the command says how many.
func (k entryCommands) Do(cmd *cobra.Command, verb string) *cobra.Command {
	if cmd.Args == nil {
		cmd.Args = cobra.ExactArgs(1)
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		text, err := k.Local(cmd).Do(cmd.Context(), catalogue.Request{Kind: k.Kind, Verb: verb, Name: strings.Join(args, " ")})
		out := cmd.ErrOrStderr() // for what is reported beside an error, or a change
		if err == nil && slices.Contains([]string{"show", "get", "test", "logs"}, verb) {
			out = cmd.OutOrStdout()
		}
		if err != nil || verb == "logs" { // another program wrote it
			text = forTerminal(out, text)
		} else {
			text = printable(text)
		}
		fmt.Fprint(out, text)
		return err
	}
	return cmd
}

// saysNone says that there are no entries, and how to add one, where it disturbs no program that reads the list.
func saysNone(english string) func(*cobra.Command) error {
	return func(cmd *cobra.Command) error {
		_, err := fmt.Fprintln(cmd.ErrOrStderr(), ownWords().Command(english))
		return err
	}
}
