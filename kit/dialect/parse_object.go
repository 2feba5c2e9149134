package dialect

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
)

// callsOf turns one JSON value into calls. What in it is no call is reported, never guessed.
func (p *Parser) callsOf(f *Form, raw []byte) ([]Call, string) {
	if raw = bytes.Clone(cleanJSON(raw)); len(raw) == 0 { // the calls keep parts of it
		return nil, noJSON
	}
	if f.Envelope && raw[0] == '{' {
		if inner := membersOf(raw)["tool_calls"]; len(inner) > 0 && inner[0] == '[' {
			raw = inner
		}
	}
	if raw[0] == '[' {
		var calls []Call
		why := ""
		for _, item := range arrayItems(raw) {
			c, w := p.callOf(f, item)
			if w == "" {
				calls = append(calls, c)
			}
			why = cmp.Or(why, w)
		}
		return calls, why
	}
	c, why := p.callOf(f, raw)
	if why != "" {
		return nil, why
	}
	return []Call{c}, ""
}

// callOf turns one JSON object into a call.
func (p *Parser) callOf(f *Form, raw []byte) (Call, string) {
	if raw[0] != '{' {
		return Call{}, "a call must be an object with name and arguments"
	}
	members := membersOf(raw)
	if f.NameAsKey {
		return nameAsKey(members)
	}
	if inner, ok := members["function"]; ok && len(inner) > 0 && inner[0] == '{' {
		for _, key := range f.nameKeys() {
			if _, both := members[key]; both {
				return Call{}, "a call has two names"
			}
		}
		c, why := p.callOf(f, inner)
		c.ID = form(members["id"])
		return c, why
	}
	var c Call
	for _, key := range f.nameKeys() {
		if c.Name = form(members[key]); c.Name != "" {
			break
		}
	}
	if c.Name == "" {
		return Call{}, "a call has no name"
	}
	given := false
	for _, key := range f.argKeys() {
		if args, ok := members[key]; ok {
			given = true
			if c.Args, ok = Arguments(args); !ok {
				return Call{}, fmt.Sprintf("the arguments of %s are not an object", c.Name)
			}
			break
		}
	}
	if !given && (f.Exact || !p.tools.needsNothing(c.Name)) {
		return Call{}, fmt.Sprintf("the call of %s has no arguments: send {} when there are none", c.Name)
	}
	c.ID = cmp.Or(form(members["id"]), form(members["tool_call_id"]))
	return c, ""
}

// membersOf returns the members of an object, which is JSON, by name. Of two of the same name the last one counts.
func membersOf(object []byte) map[string]json.RawMessage {
	members := map[string]json.RawMessage{}
	for _, m := range objectMembers(object) {
		members[m.Key] = m.Value
	}
	return members
}

// nameAsKey reads {NAME: arguments}.
func nameAsKey(members map[string]json.RawMessage) (Call, string) {
	if len(members) != 1 {
		return Call{}, "a call must be one object {name: arguments}"
	}
	for name, args := range members {
		if args, ok := Arguments(args); ok && name != "" {
			return Call{Name: name, Args: args}, ""
		}
	}
	return Call{}, "the arguments of a call are not an object"
}

// Arguments returns raw as the JSON object of a call's arguments. A string that holds an object is one; null is none.
func Arguments(raw json.RawMessage) (json.RawMessage, bool) {
	raw = bytes.TrimSpace(raw)
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return json.RawMessage("{}"), true
	case raw[0] == '{':
		return raw, true
	case raw[0] != '"':
		return nil, false
	}
	inner := bytes.TrimSpace([]byte(form(raw)))
	if len(inner) == 0 {
		return json.RawMessage("{}"), true
	}
	if inner[0] != '{' {
		return nil, false
	}
	inner = cleanJSON(inner)
	return inner, inner != nil
}

// form returns the string that raw holds, "" for everything else.
func form(raw json.RawMessage) string {
	var s string
	if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}
