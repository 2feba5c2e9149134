package memory

import (
	"context"
	"fmt"
	"strings"
	"time"

	"rein/tool"
)

type storeArgs struct {
	Text       string   `json:"text" jsonschema:"one fact, whole and readable by itself" minLength:"1" maxLength:"4096"`
	Category   string   `json:"category,omitempty" jsonschema:"default knowledge" enum:"knowledge,preference,task,skill"`
	Scope      string   `json:"scope,omitempty" jsonschema:"project (default): only here; user: in all projects, once the user confirms it" enum:"user,project"`
	Importance *int     `json:"importance,omitempty" jsonschema:"10: needed in every session; 5 (default); 0: hardly ever" minimum:"0" maximum:"10"`
	Tags       []string `json:"tags,omitempty" maxItems:"10" maxLength:"40"`
	Days       int      `json:"ttl_days,omitempty" jsonschema:"days until the entry expires; default: it never expires" minimum:"1" maximum:"3650"`
	ID         string   `json:"id,omitempty" jsonschema:"the entry that this one replaces, such as m12"`
}

// Intent is empty: the store is rein's own.
func (storeArgs) Intent() tool.Intent { return tool.Intent{} }

const storeDescription = `Remember something for later sessions: a preference of the user, a decision with its reason, how something is done here, a task that is left. Not what the files already say, and never a secret. Storing the same text again updates its entry.`

// Put returns the tool memory_store.
func (t Tools) Put() *tool.Tool {
	tl := tool.New("memory_store", storeDescription, 0, t.put)
	tl.Input = tl.Input.WithAliases(map[string]string{"content": "text", "memory": "text", "fact": "text", "key": "id"})
	return tl
}

func (t Tools) put(ctx context.Context, in storeArgs, r *tool.Reply) error {
	if err := t.writable(r.Call()); err != nil {
		return err
	}
	e := Entry{Scope: Project, Category: in.Category, Text: strings.TrimSpace(in.Text), Importance: 5, Tags: in.Tags, Source: t.Session, By: "model", Created: time.Now()}
	if in.Scope == User {
		e.Scope = User
	} else {
		e.Project = t.Project
	}
	if in.Importance != nil {
		e.Importance = *in.Importance
	}
	if in.Days > 0 {
		e.Expires = e.Created.AddDate(0, 0, in.Days)
	}
	if in.ID != "" {
		old, err := t.entry(ctx, in.ID)
		if err != nil {
			return err
		}
		if old.Scope == User && e.Scope != User && !old.Proposed {
			return &tool.Error{Kind: tool.Denied, Text: fmt.Sprintf("%s stays: it holds in all projects, so only the user may change it.", Name(old.ID)), Hint: "Store an entry of its own."}
		}
		e.ID = old.ID
	}
	because := ""
	if e.Scope == User {
		because = "It would hold in all projects"
		e.Proposed, e.Why = true, "a model wrote it for all projects"
	}
	if t.Untrusted != nil {
		if read := t.Untrusted(); len(read) > 0 {
			e.Proposed, e.Why = true, strings.Join(read[:min(len(read), 3)], ", ")
			because = "This session has read untrusted text (" + e.Why + ")"
		}
	}
	if e.Proposed { // it never takes the place of what the user relies on
		e.ID = 0
	}
	e, err := t.Store.Put(ctx, e)
	if err != nil {
		return err
	}
	if e.Proposed {
		fmt.Fprintf(r, "Proposed as %s. %s, so it counts when the user confirms it: rein memory confirm %s\n", Name(e.ID), because, Name(e.ID))
		return nil
	}
	_, err = fmt.Fprintf(r, "Stored as %s.\n", Name(e.ID))
	return err
}

// entry returns the entry that a model names, where the session may see it.
func (t Tools) entry(ctx context.Context, name string) (Entry, error) {
	none := &tool.Error{Kind: tool.NotFound, Text: fmt.Sprintf("There is no entry %s.", shown(name)), Hint: "memory_list and memory_recall give the ids."}
	id, ok := ParseName(name)
	if !ok {
		return Entry{}, none
	}
	e, ok, err := t.Store.Get(ctx, id)
	if err != nil {
		return e, err
	}
	if !ok || e.Scope == Project && e.Project != t.Project {
		return e, none
	}
	return e, nil
}
