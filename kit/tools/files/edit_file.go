package files

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"rein/kit/edit"
	"rein/kit/workspace"
	"rein/schema"
	"rein/tool"
)

type editArgs struct {
	Path     string        `json:"path" jsonschema:"file, relative to the workspace" minLength:"1"`
	OldText  string        `json:"old_text,omitempty" jsonschema:"the text to replace, with enough lines around it to match one place only"`
	NewText  string        `json:"new_text,omitempty" jsonschema:"the replacement; empty deletes the text"`
	All      bool          `json:"replace_all,omitempty" jsonschema:"replace every match"`
	Expected int           `json:"expected_replacements,omitempty" jsonschema:"fail unless old_text matches this many times" minimum:"1"`
	Edits    []replacement `json:"edits,omitempty" jsonschema:"several replacements in this file, instead of old_text and new_text" maxItems:"200"`
}

// replacement is one item of a list of edits.
type replacement struct {
	OldText  string `json:"old_text,omitempty"`
	NewText  string `json:"new_text,omitempty"`
	All      bool   `json:"replace_all,omitempty"`
	Expected int    `json:"expected_replacements,omitempty" minimum:"1"`
}

// oldNames and newNames are the other argument names that models use for the two texts.
var (
	oldNames = [...]string{"old_string", "old_str", "source_text", "oldText", "oldString", "old", "search", "find", "original", "old_content"}
	newNames = [...]string{"new_string", "new_str", "target_text", "newText", "newString", "new", "replace", "replacement", "updated", "new_content"}
)

// UnmarshalJSON accepts the other names of the two texts.
func (p *replacement) UnmarshalJSON(data []byte) error {
	type plain replacement
	if err := json.Unmarshal(data, (*plain)(p)); err != nil {
		return err
	}
	var any map[string]json.RawMessage
	if err := json.Unmarshal(data, &any); err != nil {
		return err
	}
	take := func(into *string, names []string) error {
		for _, n := range names {
			if raw, ok := any[n]; ok && *into == "" {
				if err := json.Unmarshal(raw, into); err != nil {
					return fmt.Errorf("%s: %w", n, err)
				}
			}
		}
		return nil
	}
	if err := take(&p.OldText, oldNames[:]); err != nil {
		return err
	}
	return take(&p.NewText, newNames[:])
}

func editAliases() map[string]string {
	names := pathNames("count", "expected_replacements", "expected_occurrences", "expected_replacements", "all", "replace_all", "replaceAll", "replace_all", "global", "replace_all")
	for _, n := range oldNames {
		names[n] = "old_text"
	}
	for _, n := range newNames {
		names[n] = "new_text"
	}
	return names
}

// Intent reads and writes the file.
func (a editArgs) Intent() tool.Intent {
	return tool.Intent{Reads: []string{a.Path}, Writes: []string{a.Path}}
}

const editDescription = `Replace text in a file. Copy old_text exactly from the file, without line numbers. Small differences, such as indentation, are accepted and reported. If nothing matches, or several places without replace_all, the file stays as it is and the error shows the closest lines. For several changes in one file, send edits: all are made, or none.`

// EditFile returns the tool that replaces text in a file. Its detail is one tool.Change.
func (f Tools) EditFile() *tool.Tool {
	t := tool.New("edit_file", editDescription, tool.Reads|tool.Writes, f.edit)
	t.Input = openItems(t.Input).WithAliases(editAliases())
	return t
}

// openItems accepts other argument names in the items of edits. UnmarshalJSON reads them: aliases work for the outermost object
// only.
func openItems(s *schema.Schema) *schema.Schema {
	raw := strings.Replace(string(s.Raw()), `,"additionalProperties":false},"description":"several`, `},"description":"several`, 1)
	open, err := schema.Parse(json.RawMessage(raw))
	if err != nil {
		panic("edit_file: " + err.Error()) // a programmer's mistake, seen at start
	}
	return open
}

// replacements are the edits of a call. A call may send one replacement both as old_text and new_text and in edits, if
// both say the same.
func (a editArgs) replacements() ([]edit.Edit, error) {
	single := edit.Edit{Old: a.OldText, New: a.NewText, All: a.All, Expected: a.Expected}
	if len(a.Edits) == 0 {
		return []edit.Edit{single}, nil
	}
	out := make([]edit.Edit, len(a.Edits))
	for i, e := range a.Edits {
		if e.OldText == "" {
			return nil, &tool.Error{Kind: tool.BadArguments, Text: fmt.Sprintf("item %d of edits has no old_text", i+1), Hint: "Each item needs old_text and new_text."}
		}
		out[i] = edit.Edit{Old: e.OldText, New: e.NewText, All: e.All, Expected: e.Expected}
	}
	if single == (edit.Edit{}) {
		return out, nil
	}
	return out, repeats(single, out)
}

// repeats refuses a single replacement that is not one of the list. If the list has only this one, the flags of both count.
func repeats(single edit.Edit, list []edit.Edit) error {
	at := slices.IndexFunc(list, func(e edit.Edit) bool { return e.Old == single.Old && e.New == single.New })
	if at < 0 && (single.Old != "" || single.New != "") {
		return &tool.Error{Kind: tool.BadArguments, Text: "edits does not contain the replacement that old_text and new_text describe",
			Hint: "Send either old_text and new_text, or all replacements in edits."}
	}
	if len(list) > 1 {
		if single.All || single.Expected > 0 {
			return &tool.Error{Kind: tool.BadArguments, Text: "replace_all and expected_replacements are for old_text, not for edits", Hint: "Set them in the items of edits."}
		}
		return nil
	}
	list[0].All = list[0].All || single.All
	if list[0].Expected > 0 && single.Expected > 0 && list[0].Expected != single.Expected {
		return &tool.Error{Kind: tool.BadArguments, Text: "expected_replacements has two different values", Hint: "Send it once."}
	}
	list[0].Expected = max(list[0].Expected, single.Expected)
	return nil
}

func (f Tools) edit(ctx context.Context, in editArgs, r *tool.Reply) error {
	return f.rewriteAll(ctx, r, func() ([]*rewriting, error) { return f.planEdit(in) })
}

// rewriteAll plans the changes, writes them and reports them. If someone else writes in between, it starts again.
func (f Tools) rewriteAll(ctx context.Context, r *tool.Reply, plan func() ([]*rewriting, error)) error {
	var all []*rewriting
	err := raced(func() (err error) {
		if all, err = plan(); err != nil {
			return err
		}
		return f.commit(r, all)
	})
	if err == nil {
		f.finish(ctx, r, all)
	}
	return err
}

func (f Tools) planEdit(in editArgs) ([]*rewriting, error) {
	edits, err := in.replacements()
	if err != nil {
		return nil, err
	}
	hints := make([]string, len(edits))
	for i, e := range edits {
		hints[i] = e.Old
	}
	w, err := f.decoded(in.Path, hints...)
	if err != nil {
		return f.planCreate(in, edits, err)
	}
	err = f.replan(w, func(text string, fresh bool) (edit.Result, error) {
		return edit.Apply(text, edits, &edit.Options{Path: in.Path, Fresh: fresh})
	})
	return []*rewriting{w}, err
}

// planCreate creates a file from an edit with an empty old_text for a file that does not exist: some models create files so.
func (f Tools) planCreate(in editArgs, edits []edit.Edit, err error) ([]*rewriting, error) {
	e := tool.AsError(err)
	if e.Kind != tool.NotFound || len(edits) != 1 || edits[0].Old != "" || edits[0].New == "" {
		return nil, err
	}
	if _, serr := f.Workspace.Stat(in.Path); workspace.KindOf(serr) != workspace.NotFound {
		return nil, err
	}
	return []*rewriting{{path: in.Path, after: edits[0].New, charset: workspace.Charset{}}}, nil
}
