package memory

import (
	"context"
	"fmt"
	"slices"
	"time"

	"rein/tool"
)

type searchArgs struct {
	Query string `json:"query" jsonschema:"all words must be in one message, call or result; the last word may be incomplete" minLength:"1" maxLength:"500"`
	Limit int    `json:"limit,omitempty" jsonschema:"sessions, default 5" minimum:"1" maximum:"20"`
}

// Intent is empty: the journals are rein's own.
func (searchArgs) Intent() tool.Intent { return tool.Intent{} }

// Search returns the tool session_search.
func (t Tools) Search() *tool.Tool {
	return tool.New("session_search", `Search what was said and done in past sessions of this directory. To search this session use recall.`, 0,
		func(ctx context.Context, in searchArgs, r *tool.Reply) error {
			if in.Limit == 0 {
				in.Limit = 5
			}
			all, err := t.Sessions(ctx, in.Query, in.Limit+1)
			if err != nil {
				return err
			}
			all = slices.DeleteFunc(all, func(f Found) bool { return f.ID == t.Session })
			for _, f := range all[:min(len(all), in.Limit)] {
				fmt.Fprintf(r, "%s  %s  %s\n", f.ID, f.Last.Format(time.DateOnly), f.Title)
				for _, m := range f.Matches {
					fmt.Fprintf(r, "    %s\n", m)
				}
			}
			if len(all) == 0 {
				_, err = r.WriteString("Nothing was found. Try fewer words.\n")
			}
			return err
		})
}

// All returns the tools.
func (t Tools) All() []*tool.Tool {
	all := []*tool.Tool{t.Put(), t.Recall(), t.List(), t.Forget()}
	if t.Sessions != nil {
		all = append(all, t.Search())
	}
	return all
}
