package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"rein/app/harness"
	"rein/app/settings"
	"rein/tool"
)

func newCall() *cobra.Command {
	var o callFlags
	var asJSON, batch bool
	cmd := &cobra.Command{
		Use:   "call [flags] TOOL JSON",
		Short: "Run one tool call with all checks, without a model",
		Long: `Run one tool call as if a model had asked for it: rein checks it, asks for approval where that is needed, runs it in the
sandbox and records it. The arguments are one JSON object. '-' reads them from standard input; without them rein uses {}.
With --batch, rein reads lines {"id","name","args"} from standard input and writes the results in the same order.`,
		Example: `  rein call read_file '{"path":"go.mod"}'
  rein call --mode full bash '{"command":"go test ./..."}'`,
		Args: cobra.RangeArgs(0, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if batch != (len(args) == 0) {
				return withExitCode(exitUsage, errors.New("expected a tool and its arguments, or --batch and nothing else"))
			}
			ctx, stop := interruptible(cmd.Context())
			defer stop()
			o.Single = !batch
			return withoutModel(cmd, o, func(s *harness.Session) error {
				if batch {
					return callBatch(ctx, s, cmd.InOrStdin(), cmd.OutOrStdout())
				}
				return callOnce(ctx, s, args, asJSON, cmd.OutOrStdout())
			})
		},
	}
	o.Add(cmd.Flags())
	o.addAsked(cmd.Flags())
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the whole result as JSON")
	cmd.Flags().BoolVar(&batch, "batch", false, "read calls as JSON lines, write results as JSON lines")
	return cmd
}

// withoutModel runs do with a session that has no model.
func withoutModel(cmd *cobra.Command, o callFlags, do func(*harness.Session) error) error {
	h, err := harness.Open(cmd.Context(), o.Harness(cmd, personHere()))
	if err != nil {
		return err
	}
	s, err := h.Start(cmd.Context(), harness.NewSession{NoModel: true})
	if err == nil {
		err = do(s)
	}
	return errors.Join(err, h.Close(cmd.Context()))
}

// callOnce runs one call and prints its text, or the whole result.
func callOnce(ctx context.Context, s *harness.Session, args []string, asJSON bool, out io.Writer) error {
	call := tool.Call{ID: "1", Name: args[0]}
	if len(args) == 2 {
		call.Args = json.RawMessage(args[1])
	}
	if string(call.Args) == "-" {
		text, err := io.ReadAll(os.Stdin)
		if err != nil {
			return err
		}
		call.Args = text
	}
	results, err := s.Call(ctx, []tool.Call{call}, nil)
	if err != nil {
		return err
	}
	r := results[0]
	if asJSON {
		err = json.NewEncoder(newJSONWriter(out)).Encode(r)
	} else if _, err = io.WriteString(out, forTerminal(out, r.Text)); err == nil && (len(r.Text) == 0 || r.Text[len(r.Text)-1] != '\n') {
		_, err = io.WriteString(out, "\n")
	}
	if err != nil || !r.Failed {
		return err
	}
	failed := asSeen(errors.New("the call failed"))
	if asJSON {
		failed = asPrinted(failed)
	}
	return withExitCode(failureCode(r.Kind), failed)
}

func failureCode(k tool.Kind) int {
	switch k {
	case tool.Denied, tool.Unapproved:
		return exitDenied
	case tool.Waiting:
		return exitWaiting
	case tool.Cancelled:
		return exitInterrupted
	}
	return exitError
}

// batchCall is one line of --batch.
type batchCall struct {
	ID   json.RawMessage `json:"id"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
}

// batchResult is what it is answered with. Its id is the line's own, whatever its type.
type batchResult struct {
	ID json.RawMessage `json:"id"`
	tool.Result
	Error string `json:"error,omitempty"` // of a line that is no call
}

// readCall reads a line of --batch. When "args" is missing, another key likely holds the arguments: such a call must not run
// without arguments.
func readCall(line []byte, c *batchCall) error {
	if err := json.Unmarshal(line, c); err != nil {
		return settings.WrongKind(err)
	}
	if c.Name == "" {
		return errors.New(`expected {"id":…,"name":…,"args":{…}}, and there is no name`)
	}
	var keys map[string]json.RawMessage
	if c.Args != nil || json.Unmarshal(line, &keys) != nil {
		return nil
	}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if !slices.Contains([]string{"id", "name"}, settings.ReadAs(key, []string{"id", "name"})) {
			return fmt.Errorf(`there is no "args", and %q is not known: expected {"id":…,"name":…,"args":{…}}`, key)
		}
	}
	return nil
}

// callBatch answers each line with a line, one after the other.
func callBatch(ctx context.Context, s *harness.Session, in io.Reader, out io.Writer) error {
	n := 0
	err := answerLines(in, out, func(line []byte) (any, error) {
		n++
		return batchCallLine(ctx, s, n, line), nil
	})
	return errors.Join(err, context.Cause(ctx))
}

func batchCallLine(ctx context.Context, s *harness.Session, n int, line []byte) batchResult {
	var c batchCall
	if err := readCall(line, &c); err != nil {
		problem := fmt.Sprintf("line %d is not a call: %v", n, err)
		return batchResult{ID: c.ID, Error: problem, Result: tool.Result{Text: problem, Failed: true, Kind: tool.BadArguments}}
	}
	results, err := s.Call(ctx, []tool.Call{{ID: fmt.Sprint(n), Name: c.Name, Args: c.Args}}, nil)
	answer := batchResult{ID: c.ID, Result: results[0]}
	if err != nil {
		answer.Error = err.Error()
	}
	return answer
}
