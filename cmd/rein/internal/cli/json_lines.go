package cli

import (
	"encoding/json"
	"io"

	"github.com/spf13/cobra"

	"rein/cmd/rein/internal/console"
)

// PrintLines prints values as JSON lines.
func PrintLines[T any](cmd *cobra.Command, all []T) error {
	enc := json.NewEncoder(console.JSON(cmd.OutOrStdout()))
	enc.SetEscapeHTML(false)
	for _, v := range all {
		if err := enc.Encode(v); err != nil {
			return err
		}
	}
	return nil
}

// PrintJSON prints v as indented JSON.
func PrintJSON(out io.Writer, v any) error {
	e := json.NewEncoder(console.JSON(out))
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
