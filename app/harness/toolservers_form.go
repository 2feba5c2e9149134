package harness

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"rein/kit/mcp"
	"rein/tool"
)

// formField is one entry of a form.
type formField struct {
	name     string
	text     string // of its question, without what counts when it is left out
	kind     string // string, number, integer, boolean, array
	required bool
	preset   any      // the value of a field that the user leaves out; nil for none
	values   []string // what may be chosen
	labels   []string // how it is shown
}

// formOpened is the choice of a question about an address.
const formOpened = "I opened it"

// questionsOfForm makes questions of what a server wants to know. fields is what Values needs.
func questionsOfForm(q mcp.Question) (questions *tool.Questions, fields []formField, err error) {
	from := "the tool server " + q.Server
	if q.URL != "" {
		text := fmt.Sprintf("%s\nOpen this address only if you trust the server: %s", q.Message, q.URL)
		return &tool.Questions{From: from, List: []tool.Question{{Text: text, Choices: []tool.Choice{{Label: formOpened}, {Label: "No"}}}}}, nil, nil
	}
	var schema struct {
		Properties json.RawMessage `json:"properties"`
		Required   []string        `json:"required"`
	}
	if len(q.Schema) > 0 {
		if err := json.Unmarshal(q.Schema, &schema); err != nil {
			return nil, nil, fmt.Errorf("the form cannot be read: %w", err)
		}
	}
	names, raw, err := membersInOrder(schema.Properties)
	if err != nil {
		return nil, nil, err
	}
	questions = &tool.Questions{From: from}
	for i, name := range requiredFirst(names, schema.Required) {
		f, one, err := questionOfProperty(name, raw[slices.Index(names, name)])
		if err != nil {
			return nil, nil, err
		}
		f.required = slices.Contains(schema.Required, name)
		if i == 0 {
			f.text = q.Message + "\n" + f.text
		}
		one.Text = f.asks()
		questions.List, fields = append(questions.List, one), append(fields, f)
	}
	if len(fields) == 0 {
		questions.List = []tool.Question{{Text: q.Message, Choices: []tool.Choice{{Label: "Yes"}, {Label: "No"}}}}
	}
	return questions, fields, nil
}

// requiredFirst puts the fields that must be filled in before the others, in the order in which the server lists them: the library
// that reads a form keeps no other order of its fields.
func requiredFirst(names, required []string) []string {
	var all []string
	for _, name := range slices.Concat(required, names) {
		if slices.Contains(names, name) && !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return all
}

// questionOfProperty makes a question of one property of a form.
func questionOfProperty(name string, raw json.RawMessage) (formField, tool.Question, error) {
	var p struct {
		Type, Title, Description string
		Format                   string
		Enum, EnumNames          []string
		Default                  any
		Minimum, Maximum         json.Number
		MinLength, MaxLength     json.Number
		OneOf, AnyOf             []struct{ Const, Title string }
		Items                    struct {
			Enum         []string
			AnyOf, OneOf []struct{ Const, Title string }
		}
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		return formField{}, tool.Question{}, fmt.Errorf("the form's field %q cannot be read: %w", name, err)
	}
	f := formField{name: name, kind: cmp.Or(p.Type, "string"), values: append(p.Enum, p.Items.Enum...), labels: p.EnumNames}
	for _, list := range [][]struct{ Const, Title string }{p.OneOf, p.AnyOf, p.Items.AnyOf, p.Items.OneOf} {
		for _, c := range list {
			f.values, f.labels = append(f.values, c.Const), append(f.labels, cmp.Or(c.Title, c.Const))
		}
	}
	if len(f.labels) != len(f.values) {
		f.labels = f.values
	}
	if f.kind == "boolean" {
		f.values, f.labels = []string{"true", "false"}, []string{"Yes", "No"}
	}
	one := tool.Question{Several: f.kind == "array"}
	if f.text = cmp.Or(p.Title, name); p.Description != "" {
		f.text += ": " + p.Description
	}
	if what := mcp.FormatOf(p.Format); what != "" {
		f.text += " (" + what + ")"
	}
	f.text += bounds(p.Minimum, p.Maximum, "") + bounds(p.MinLength, p.MaxLength, " characters")
	f.preset = p.Default
	for _, label := range f.labels {
		one.Choices = append(one.Choices, tool.Choice{Label: label})
	}
	return f, one, nil
}

// bounds says what a value must lie between; "" is no bound.
func bounds(least, most json.Number, of string) string {
	switch {
	case least != "" && most != "":
		return fmt.Sprintf(" (%s to %s%s)", least, most, of)
	case least != "":
		return fmt.Sprintf(" (at least %s%s)", least, of)
	case most != "":
		return fmt.Sprintf(" (at most %s%s)", most, of)
	}
	return ""
}

// asks is the text of the field's question.
func (f formField) asks() string {
	switch {
	case f.preset != nil:
		return f.text + fmt.Sprintf(" (%s if left out)", f.shown(f.preset))
	case f.required:
		return f.text + " (required)"
	}
	return f.text
}

// askAgain makes the questions of a form whose answers were wrong: they are filled in, and each says what is wrong with its own.
func askAgain(questions *tool.Questions, fields []formField, chosen *tool.Chosen, wrong error) {
	faults := strings.Split(wrong.Error(), "\n")
	for i := range fields {
		f, one := &fields[i], &questions.List[i]
		var own []string
		faults = slices.DeleteFunc(faults, func(fault string) bool {
			is := strings.HasPrefix(fault, f.name+": ")
			if is {
				own = append(own, fault)
			}
			return is
		})
		one.Given, one.Text = &chosen.Answers[i], doesNotFit(own)+f.asks()
	}
	questions.List[0].Text = doesNotFit(faults) + questions.List[0].Text
}

// doesNotFit says what is wrong.
func doesNotFit(faults []string) string {
	if len(faults) == 0 {
		return ""
	}
	return fmt.Sprintf("That does not fit: %s.\n", strings.Join(faults, "; "))
}

// shown is a value as the user sees it: the labels of what may be chosen.
func (f formField) shown(v any) string {
	if list, ok := v.([]any); ok {
		var all []string
		for _, one := range list {
			all = append(all, f.shown(one))
		}
		return strings.Join(all, ", ")
	}
	text := fmt.Sprint(v)
	if i := slices.Index(f.values, text); i >= 0 {
		return f.labels[i]
	}
	return text
}

// formValues makes the values of a form of the user's answers. ok is false when the user filled in nothing where something is required.
func formValues(fields []formField, c *tool.Chosen) (values map[string]any, ok bool, err error) {
	if c == nil || len(c.Answers) == 0 {
		return nil, false, nil
	}
	if len(fields) == 0 {
		a := c.Answers[0]
		return nil, len(a.Choices) == 1 && a.Choices[0] != "No", nil
	}
	values = map[string]any{}
	var missing []error
	filled := false // the user filled in something
	for i, f := range fields {
		v, given, e := f.value(c.Answers[i])
		err = errors.Join(err, e)
		filled = filled || given
		switch {
		case given:
			values[f.name] = v
		case f.preset != nil:
			values[f.name] = f.preset
		case f.required:
			missing = append(missing, fmt.Errorf("%s: required", f.name))
		}
	}
	switch {
	case err != nil:
		return nil, false, err
	case len(missing) == 0:
		return values, true, nil
	case !filled:
		return nil, false, nil
	}
	return nil, false, errors.Join(missing...)
}

func (f formField) value(a tool.Answer) (v any, given bool, err error) {
	var chosen []any
	for _, label := range a.Choices {
		if i := slices.Index(f.labels, label); i >= 0 {
			chosen = append(chosen, f.values[i])
		}
	}
	text := strings.TrimSpace(a.Text)
	if len(chosen) > 0 {
		text = fmt.Sprint(chosen[0])
	}
	switch {
	case f.kind == "array":
		return chosen, len(chosen) > 0, nil
	case text == "":
		return nil, false, nil
	case f.kind == "boolean":
		return text == "true", true, nil
	case f.kind == "integer":
		n, err := strconv.ParseInt(text, 10, 64)
		return n, true, formError(f, text, err)
	case f.kind == "number":
		n, err := strconv.ParseFloat(text, 64)
		return n, true, formError(f, text, err)
	}
	return text, true, nil
}

func formError(f formField, text string, err error) error {
	if err != nil {
		return fmt.Errorf("%s: %q is no %s", f.name, text, f.kind)
	}
	return nil
}

// membersInOrder reads the members of an object in the order in which they are written.
func membersInOrder(object json.RawMessage) (names []string, values []json.RawMessage, err error) {
	if len(object) == 0 {
		return nil, nil, nil
	}
	dec := json.NewDecoder(bytes.NewReader(object))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, nil, errors.New("the form's properties are not an object")
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return nil, nil, err
		}
		var v json.RawMessage
		if err := dec.Decode(&v); err != nil {
			return nil, nil, err
		}
		names, values = append(names, name.(string)), append(values, v)
	}
	return names, values, nil
}
