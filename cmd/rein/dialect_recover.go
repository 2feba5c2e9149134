package main

import (
	"encoding/json"
	"errors"

	"github.com/spf13/cobra"

	"rein/kit/dialect"
)

// recoverInput is a turn as it arrived: tools are {name, description, parameters}, or names with their parameters in params.
type recoverInput struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Text   string          `json:"text"`
	Native []struct {
		ID        string `json:"id"`
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"native"`
	Finish string `json:"finish"`
	Error  *struct {
		FinishMessage    string `json:"finishMessage"`
		FailedGeneration string `json:"failed_generation"`
	} `json:"error"`
	Tools  []json.RawMessage   `json:"tools"`
	Params map[string][]string `json:"params"`
}

// recoverOutput is what may run of it, what is shown, and what was changed.
type recoverOutput struct {
	ID      json.RawMessage `json:"id,omitempty"`
	Calls   []dialectCall   `json:"calls"`
	Refused []dialectCall   `json:"refused,omitempty"`
	Show    string          `json:"show"`
	Notes   []string        `json:"notes,omitempty"`
}

func newDialectRecover() *cobra.Command {
	var batch bool
	cmd := &cobra.Command{
		Use:   "recover --batch",
		Short: "Recover the calls that a model wrote into its text",
		Long:  "Read lines {id, text, native, finish, error, tools}, and write one line {id, calls, refused, show, notes} for each.",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !batch {
				return withExitCode(exitUsage, errors.New("give --batch: this command only reads lines from standard input"))
			}
			return answerLines(cmd.InOrStdin(), cmd.OutOrStdout(), recoverLine)
		},
	}
	cmd.Flags().BoolVar(&batch, "batch", false, "read lines from standard input, and write one line for each")
	return cmd
}

// recoverLine answers one line.
func recoverLine(raw []byte) (any, error) {
	var in recoverInput
	if err := json.Unmarshal(raw, &in); err != nil {
		return nil, lineError(err)
	}
	t := dialect.RecoveredTurn{Text: in.Text, Cut: in.Finish == "length" || in.Finish == "max_tokens" || in.Finish == "MAX_TOKENS"}
	if in.Error != nil {
		t.Text, t.Failed = in.Error.FinishMessage+in.Error.FailedGeneration, true
	}
	for _, n := range in.Native {
		t.Native = append(t.Native, dialect.RecoveredCall{ID: n.ID, Name: n.Name, Args: n.Arguments})
	}
	for _, tool := range in.Tools {
		t.Tools = append(t.Tools, namedTool(tool, in.Params))
	}
	read := dialect.Recover(t)
	out := recoverOutput{ID: in.ID, Calls: []dialectCall{}, Show: read.Show, Notes: read.Notes}
	for _, c := range read.Calls {
		call := dialectCall{ID: c.ID, Name: c.Name, Arguments: json.RawMessage(c.Args)}
		if !json.Valid(call.Arguments) {
			call.Arguments, _ = json.Marshal(c.Args)
		}
		if c.Runs {
			out.Calls = append(out.Calls, call)
		} else {
			out.Refused = append(out.Refused, call)
		}
	}
	return out, nil
}

// namedTool reads a tool, or a name whose parameters are in params: these may be of any type.
func namedTool(raw json.RawMessage, params map[string][]string) dialect.Tool {
	var t dialect.Tool
	if json.Unmarshal(raw, &t.Name) != nil {
		_ = json.Unmarshal(raw, &t)
		return t
	}
	props := map[string]any{}
	for _, p := range params[t.Name] {
		props[p] = map[string]any{}
	}
	t.Parameters, _ = json.Marshal(map[string]any{"type": "object", "properties": props, "additionalProperties": false})
	return t
}
