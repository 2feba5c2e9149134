package main

import (
	"encoding/json"
	"io"

	"github.com/spf13/cobra"
)

// printJSONLines prints values as JSON lines.
func printJSONLines[T any](cmd *cobra.Command, all []T) error {
	enc := json.NewEncoder(newJSONWriter(cmd.OutOrStdout()))
	enc.SetEscapeHTML(false)
	for _, v := range all {
		if err := enc.Encode(v); err != nil {
			return err
		}
	}
	return nil
}

// printJSON prints v as indented JSON.
func printJSON(out io.Writer, v any) error {
	e := json.NewEncoder(newJSONWriter(out))
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
