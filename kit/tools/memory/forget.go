package memory

import (
	"context"
	"fmt"

	"rein/tool"
)

type forgetArgs struct {
	ID string `json:"id" jsonschema:"as memory_list gives it: m12" minLength:"1" maxLength:"30"`
}

// Intent is empty: the store is rein's own.
func (forgetArgs) Intent() tool.Intent { return tool.Intent{} }

// Forget returns the tool memory_forget.
func (t Tools) Forget() *tool.Tool {
	return tool.New("memory_forget", `Delete a memory entry that is wrong or out of date, or that the user wants deleted.`, 0,
		func(ctx context.Context, in forgetArgs, r *tool.Reply) error {
			if err := t.writable(r.Call()); err != nil {
				return err
			}
			e, err := t.entry(ctx, in.ID)
			if err != nil {
				return err
			}
			if e.Scope == User && !e.Proposed {
				return &tool.Error{Kind: tool.Denied, Text: fmt.Sprintf("%s stays: it holds in all projects, so only the user may delete it.", Name(e.ID)), Hint: "Tell the user: rein memory forget " + Name(e.ID)}
			}
			if t.Untrusted != nil && !e.Proposed {
				if read := t.Untrusted(); len(read) > 0 {
					return &tool.Error{Kind: tool.Denied, Text: fmt.Sprintf("%s stays: this session has read untrusted text, so only the user may delete it.", Name(e.ID)), Hint: "Tell the user: rein memory forget " + Name(e.ID)}
				}
			}
			if _, err := t.Store.Delete(ctx, e.ID); err != nil {
				return err
			}
			_, err = fmt.Fprintf(r, "Forgot %s: %s\n", Name(e.ID), e.Line(80))
			return err
		})
}
