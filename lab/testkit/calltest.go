// Package testkit calls tools in tests as the pipeline does: the arguments are checked first.
package testkit

import (
	"context"
	"encoding/json"
	"testing"

	"rein/tool"
)

// Args encodes pairs of names and values as the arguments of a call.
func Args(pairs ...any) string {
	m := map[string]any{}
	for i := 0; i+1 < len(pairs); i += 2 {
		m[pairs[i].(string)] = pairs[i+1]
	}
	b, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// Call runs a tool and returns its notes and text, and its detail. A failure is returned as "kind: text | hint".
func Call(t testing.TB, tl *tool.Tool, args string) (text string, detail json.RawMessage) {
	t.Helper()
	checked, err := tl.Input.Check(json.RawMessage(args))
	if err != nil {
		return "bad_arguments: " + err.Error(), nil
	}
	if tl.Intent != nil {
		_, _ = tl.Intent(checked.Args) // as the pipeline does; Run finds the same faults
	}
	reply := tool.NewReply(tool.ReplyOptions{Limit: tl.Output})
	err = tl.Run(context.Background(), checked.Args, reply)
	text, _, notes, detail := reply.Close()
	if err != nil {
		e := tool.AsError(err)
		return string(e.Kind) + ": " + e.Text + " | " + e.Hint, detail
	}
	for _, n := range notes {
		text = "note: " + n + "\n" + text
	}
	return text, detail
}
