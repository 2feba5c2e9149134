package files

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"rein/edit"
	"rein/internal/charset"
	"rein/schema"
	"rein/tool"
	"rein/workspace"
)

type editArgs struct {
	Path     string        `json:"path" jsonschema:"the file, relative to the workspace" minLength:"1"`
	OldText  string        `json:"old_text,omitempty" jsonschema:"the lines to be replaced, as they stand in the file, with enough around them to fit one place only"`
	NewText  string        `json:"new_text,omitempty" jsonschema:"what shall stand there instead; empty deletes"`
	All      bool          `json:"replace_all,omitempty" jsonschema:"replace every occurrence of old_text"`
	Expected int           `json:"expected_replacements,omitempty" jsonschema:"refuse unless old_text occurs so many times" minimum:"1"`
	Edits    []replacement `json:"edits,omitempty" jsonschema:"several replacements in this file, all or none; instead of old_text and new_text" maxItems:"200"`
}

// replacement is one item of a list of edits.
type replacement struct {
	OldText  string `json:"old_text,omitempty" jsonschema:"the lines to be replaced"`
	NewText  string `json:"new_text,omitempty" jsonschema:"what shall stand there instead"`
	All      bool   `json:"replace_all,omitempty" jsonschema:"replace every occurrence"`
	Expected int    `json:"expected_replacements,omitempty" jsonschema:"refuse unless it occurs so many times" minimum:"1"`
}

// oldNames and newNames are the other names under which models send the two texts.
var (
	oldNames = [...]string{"old_string", "old_str", "source_text", "oldText", "oldString", "old", "search", "find", "original", "old_content"}
	newNames = [...]string{"new_string", "new_str", "target_text", "newText", "newString", "new", "replace", "replacement", "updated", "new_content"}
)

// UnmarshalJSON takes the texts under their other names, too.
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

// Intent changes the file.
func (a editArgs) Intent() tool.Intent {
	return tool.Intent{Reads: []string{a.Path}, Writes: []string{a.Path}}
}

const editDescription = `Replace text in a file. Copy old_text from the file (without line numbers); it must fit one place only, unless replace_all is set. Small slips in it, such as lost indentation, are understood and told; what does not fit, or fits twice, is refused with the closest lines. Lines of old_text that new_text keeps stay as the file has them. Several changes of one file go into edits, all or none.`

// EditFile returns the tool that replaces text in a file.
func (f Tools) EditFile() *tool.Tool {
	t := tool.New("edit_file", editDescription, tool.Reads|tool.Writes, f.edit)
	t.Input = openItems(t.Input).WithAliases(editAliases())
	return t
}

// openItems lets the items of edits have other names, which UnmarshalJSON takes: aliases reach the outermost object only.
func openItems(s *schema.Schema) *schema.Schema {
	raw := strings.Replace(string(s.Raw()), `,"additionalProperties":false},"description":"several`, `},"description":"several`, 1)
	open, err := schema.Parse(json.RawMessage(raw))
	if err != nil {
		panic("edit_file: " + err.Error()) // a programmer's mistake, seen at start
	}
	return open
}

// wishes are the edits of a call, or what is missing in it.
func (a editArgs) wishes() ([]edit.Edit, error) {
	if len(a.Edits) == 0 {
		return []edit.Edit{{Old: a.OldText, New: a.NewText, All: a.All, Expected: a.Expected}}, nil
	}
	if a.OldText != "" || a.NewText != "" {
		return nil, &tool.Error{Kind: tool.BadArguments, Text: "both edits and old_text/new_text were sent", Hint: "send all replacements in edits"}
	}
	out := make([]edit.Edit, len(a.Edits))
	for i, e := range a.Edits {
		if e.OldText == "" {
			return nil, &tool.Error{Kind: tool.BadArguments, Text: fmt.Sprintf("item %d of edits has no old_text", i+1), Hint: "each item needs old_text and new_text"}
		}
		out[i] = edit.Edit{Old: e.OldText, New: e.NewText, All: e.All, Expected: e.Expected}
	}
	return out, nil
}

func (f Tools) edit(ctx context.Context, in editArgs, r *tool.Reply) error {
	return f.rewriteAll(ctx, r, func() ([]*rewriting, error) { return f.planEdit(in) })
}

// rewriteAll plans, writes and tells; it plans anew when another hand was faster.
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
	wishes, err := in.wishes()
	if err != nil {
		return nil, err
	}
	hints := make([]string, len(wishes))
	for i, e := range wishes {
		hints[i] = e.Old
	}
	w, err := f.decoded(in.Path, hints...)
	if err != nil {
		return f.planCreate(in, wishes, err)
	}
	err = f.replan(w, func(text string, fresh bool) (edit.Result, error) {
		return edit.Apply(text, wishes, &edit.Options{Path: in.Path, Fresh: fresh})
	})
	return []*rewriting{w}, err
}

// planCreate makes a new file of an edit that replaces nothing in a file that is not there, as some models do.
func (f Tools) planCreate(in editArgs, wishes []edit.Edit, err error) ([]*rewriting, error) {
	e := tool.AsError(err)
	if e.Kind != tool.NotFound || len(wishes) != 1 || wishes[0].Old != "" || wishes[0].New == "" {
		return nil, err
	}
	if _, serr := f.Workspace.Stat(in.Path); workspace.KindOf(serr) != workspace.NotFound {
		return nil, err
	}
	return []*rewriting{{path: in.Path, after: wishes[0].New, charset: charset.Charset{}}}, nil
}
