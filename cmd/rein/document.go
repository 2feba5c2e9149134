package main

import (
	"os"

	"github.com/spf13/cobra"

	"rein/kit/document"
)

// newDocument is the helper process that reads a document: rein starts it in the sandbox.
func newDocument() *cobra.Command {
	return &cobra.Command{
		Use:    "document WINDOW",
		Short:  "Read the document on standard input, for rein's own tools",
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return document.Serve(args[0], os.Stdin, cmd.OutOrStdout())
		},
	}
}
