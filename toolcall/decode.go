package toolcall

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"rein/internal/jsontext"
	"rein/internal/plaintext"
	"rein/tool"
)

// decoded is a call of a tool that exists, with arguments that are one JSON object without duplicate keys.
type decoded struct {
	index int // of the call in its turn
	call  tool.Call
	tool  *tool.Tool
	notes []string // what was repaired
}

func (t *turn) decode(index int, call tool.Call) (d decoded, err error) {
	d = decoded{index: index, call: call, tool: t.Tools.Get(call.Name)}
	if d.tool == nil {
		return d, t.unknownTool(call.Name)
	}
	if call.Truncated {
		return d, &tool.Error{Kind: tool.BadArguments,
			Text: "The call was cut off by the length limit, so it did not run.",
			Hint: "Send less at once: split the text over several calls."}
	}
	if len(call.Args) > t.limits.Args {
		return d, &tool.Error{Kind: tool.TooLarge,
			Text: fmt.Sprintf("The arguments are %d bytes; at most %d are allowed.", len(call.Args), t.limits.Args),
			Hint: "Split the text over several calls."}
	}
	d.call = call.Clone() // what is recorded, hashed and run; nobody else has these bytes
	err = d.object()
	return d, err
}

// object makes the arguments one JSON object. It repairs what can be repaired without guessing.
func (d *decoded) object() error {
	args := bytes.TrimSpace(d.call.Args)
	if len(args) == 0 || string(args) == "{}" || string(args) == "null" {
		d.call.Args = noArguments
		return nil
	}
	if jsontext.Strict(args) {
		return nil // the schema checks that it is an object and that no key comes twice
	}
	repaired, err := jsontext.Object(args, jsontext.RepairOptions{Reads: d.tool.Effect&^tool.Reads == 0, Schema: d.tool.Input.Raw()})
	if err != nil {
		return &tool.Error{Kind: tool.BadArguments, Text: fmt.Sprintf("The call of %s did not run: %v.", d.tool.Name, err)}
	}
	d.call.Args, d.notes = repaired.JSON, repaired.Notes
	return nil
}

var noArguments = json.RawMessage("{}")

func (t *turn) unknownTool(name string) error {
	e := &tool.Error{Kind: tool.UnknownTool, Text: fmt.Sprintf("There is no tool %q.", clip(name, 80))}
	all := t.Tools.Names()
	close := plaintext.NearestNames(name, all)
	siblings := sharing(all, name)
	switch {
	case len(all) == 0:
		e.Hint = "There are no tools here."
	case len(siblings) > 0:
		e.Hint = "Its server has: " + plaintext.FirstOf(siblings, 50) + "."
	case len(close) > 0:
		e.Hint = "Did you mean " + strings.Join(close, " or ") + "?"
	default:
		e.Hint = "The tools are: " + strings.Join(all, ", ") + "."
	}
	return e
}

// sharing returns the names that begin as a name does, up to its last "__": the tools of the same tool server.
func sharing(all []string, name string) (same []string) {
	i := strings.LastIndex(name, "__")
	if i < 0 {
		return nil
	}
	for _, one := range all {
		if strings.HasPrefix(one, name[:i+2]) {
			same = append(same, one)
		}
	}
	return same
}

// clip shortens the model's text for a message.
func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
