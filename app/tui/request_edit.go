package tui

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"rein/guard"
)

// commandOf is the command line in the arguments; "" where there is none.
func (q *request) commandOf() string {
	var args struct{ Command string }
	if json.Unmarshal(q.Args, &args) != nil || args.Command != q.Shown.Command {
		return ""
	}
	return args.Command
}

// Editable is what the user edits: the command line, or else all arguments as JSON.
func (q *request) Editable() string {
	if c := q.commandOf(); c != "" {
		return c
	}
	var b bytes.Buffer
	if json.Indent(&b, q.Args, "", "  ") != nil {
		return string(q.Args)
	}
	return b.String()
}

// Edited returns the arguments of the call with what the user made of Editable, as JSON.
func (q *request) Edited(text string) (string, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return "", errors.New("there is nothing to run")
	}
	if q.commandOf() == "" {
		var args map[string]json.RawMessage
		if json.Unmarshal([]byte(text), &args) != nil {
			return "", errors.New("this is not a JSON object")
		}
		return text, nil
	}
	var args map[string]any
	d := json.NewDecoder(bytes.NewReader(q.Args))
	d.UseNumber()
	if err := d.Decode(&args); err != nil {
		return "", err
	}
	args["command"] = text
	edited, err := json.Marshal(args)
	return string(edited), err
}

// Rules are the rules that an approval for this project would add, where there are some: the user may write others in their place.
func (q *request) Rules() []string {
	for _, s := range q.Scopes {
		if s.Scope == guard.ForProject {
			return s.Rules
		}
	}
	return nil
}
