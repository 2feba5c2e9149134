package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"rein/internal/jsontext"
)

// newRepair is the command rein repair.
func newRepair() *cobra.Command {
	var batch, writes, truncated bool
	c := &cobra.Command{
		Use:   "repair",
		Short: "Repair damaged JSON from standard input",
		Long: "Read damaged JSON from standard input and print the object that it means. What was repaired goes to standard error.\n" +
			"What could mean two things is refused. With --batch: lines {\"id\",\"input\",\"schema\"?,\"writes\"?,\"truncated\"?} in,\n" +
			"{\"id\",\"output\"|\"error\",\"notes\"} out.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if batch {
				return answerLines(cmd.InOrStdin(), cmd.OutOrStdout(), repairLine)
			}
			return repairOne(cmd, jsontext.RepairOptions{Reads: !writes, Truncated: truncated})
		},
	}
	c.Flags().BoolVar(&batch, "batch", false, "read and write JSON lines")
	c.Flags().BoolVar(&writes, "writes", false, "the call writes, runs or contacts something: do not complete what was cut off")
	c.Flags().BoolVar(&truncated, "truncated", false, "the answer of the model was cut off")
	return c
}

func repairOne(cmd *cobra.Command, opts jsontext.RepairOptions) error {
	input, err := io.ReadAll(cmd.InOrStdin())
	if err != nil {
		return err
	}
	result, err := jsontext.Object(input, opts)
	if err != nil {
		return withExitCode(exitInput, err)
	}
	for _, note := range result.Notes {
		fmt.Fprintln(cmd.ErrOrStderr(), note)
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s\n", result.JSON)
	return err
}

func repairLine(line []byte) (any, error) {
	var row struct {
		ID        json.RawMessage `json:"id"`
		Input     string          `json:"input"`
		Schema    json.RawMessage `json:"schema"`
		Writes    bool            `json:"writes"`
		Truncated bool            `json:"truncated"`
	}
	if err := json.Unmarshal(line, &row); err != nil {
		return nil, err
	}
	result, err := jsontext.Object([]byte(row.Input), jsontext.RepairOptions{Reads: !row.Writes, Truncated: row.Truncated, Schema: row.Schema})
	if err != nil {
		return nil, err
	}
	return struct {
		ID     json.RawMessage `json:"id"`
		Output json.RawMessage `json:"output"`
		Notes  []string        `json:"notes"`
	}{row.ID, result.JSON, append([]string{}, result.Notes...)}, nil
}
