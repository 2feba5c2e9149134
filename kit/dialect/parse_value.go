package dialect

import (
	"encoding/json"
	"slices"
	"strings"
)

// certain is what the markup itself shows of a value's type.
type certain int

const (
	untyped  certain = iota
	asText           // a string, whatever it looks like
	asJSON           // not a string: JSON where it can be
	asNumber         // type="number" and the like: JSON
)

// certainty reads the attribute that makes a type certain.
func certainty(name, attrs string) certain {
	switch name {
	case "string":
		switch attr(attrs, name, false) {
		case "true":
			return asText
		case "false":
			return asJSON
		}
	case "type":
		switch attr(attrs, name, false) {
		case "string":
			return asText
		case "":
		default:
			return asNumber
		}
	}
	return untyped
}

// object builds the arguments of a call from raw texts.
type object struct {
	shape   *valueShape
	members []jsonMember
	whole   []byte // all arguments as one JSON object, where the model wrote them so
	cut     bool   // the next call began where the closer should be
	ended   bool   // the output ended where the closer should be
}

func newObject(s *valueShape) *object { return &object{shape: s} }

// set adds an argument.
func (o *object) set(key, raw string, c certain, nullText bool) {
	var s *valueShape
	known := false
	if o.shape != nil {
		s, known = o.shape.Members[key]
	}
	switch {
	case c == asText:
		o.put(key, quoteJSON(raw))
	case c == asNumber || c == asJSON && !known:
		o.put(key, literal(raw))
	case !known:
		o.put(key, quoteJSON(raw))
	default:
		o.put(key, typed(raw, s.Types, nullText))
	}
}

// put adds a member whose value is JSON.
func (o *object) put(key string, value []byte) {
	o.members = append(o.members, jsonMember{Key: key, Value: value})
}

// bytes returns the arguments.
func (o *object) bytes() json.RawMessage {
	if o.whole != nil && len(o.members) == 0 {
		return o.whole
	}
	out := json.RawMessage{'{'}
	for i, m := range o.members {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(append(out, quoteJSON(m.Key)...), ':'), m.Value...)
	}
	return append(out, '}')
}

// complete reports whether nothing but the closer is missing: the output ended after an argument, and all that the tool
// requires are there.
func (o *object) complete() bool {
	if !o.ended || o.shape == nil || len(o.shape.Required) == 0 {
		return false
	}
	for _, key := range o.shape.Required {
		if !slices.ContainsFunc(o.members, func(m jsonMember) bool { return m.Key == key }) {
			return false
		}
	}
	return true
}

// unwrap takes away a wrapper that models put around all arguments, where the tool has no argument of that name.
func (o *object) unwrap() {
	if len(o.members) != 1 || o.shape == nil || o.shape.Members[o.members[0].Key] != nil {
		return
	}
	switch o.members[0].Key {
	case "arguments", "input", "parameters", "properties":
		value := o.members[0].Value
		if inner := form(value); inner != "" {
			value, _ = container(strings.TrimSpace(inner), typeObject)
		}
		if len(value) > 0 && value[0] == '{' {
			o.whole, o.members = value, nil
		}
	}
}

// dropUnknown leaves out arguments that the tool does not have, and reports them.
func (o *object) dropUnknown() string {
	if o.shape == nil || o.whole != nil {
		return ""
	}
	var kept []jsonMember
	why := ""
	for _, m := range o.members {
		if o.shape.Members[m.Key] != nil {
			kept = append(kept, m)
		} else {
			why = "the argument " + m.Key + " is unknown and was left out"
		}
	}
	if len(kept) > 0 {
		o.members = kept
		return why
	}
	return ""
}

// Typed returns the JSON value of a raw text where the schema names these types, as in "integer". A text that
// fits none of them stays a string, for the validator to refuse; it is never bent. With nullText, null is the null value
// even where only a string is asked for.
func Typed(raw string, names []string, nullText bool) json.RawMessage {
	var t valueTypes
	for _, n := range names {
		t |= typesNamed(n)
	}
	return typed(raw, t, nullText)
}

// typed tries the narrow types first, and a string last.
func typed(raw string, t valueTypes, nullText bool) []byte {
	text := strings.TrimSpace(raw)
	if strings.EqualFold(text, "null") && (t&typeNull != 0 || t != 0 && (nullText || t&typeString == 0)) || text == "None" && t&typeNull != 0 {
		return []byte("null")
	}
	if t&typeBoolean != 0 {
		switch strings.ToLower(text) {
		case "true", "false":
			return []byte(strings.ToLower(text))
		}
	}
	if t&(typeInteger|typeNumber) != 0 {
		if n, ok := parseJSONNumber(text, t&typeNumber == 0); ok {
			return n
		}
	}
	if t&(typeArray|typeObject) != 0 {
		if v, ok := container(text, t); ok {
			return v
		}
	}
	if t == 0 {
		if strings.HasPrefix(text, `"`) && json.Valid([]byte(text)) {
			return []byte(text)
		}
		return literalOr(text, raw)
	}
	return quoteJSON(raw)
}

// container returns text as an array or object: JSON, else a Python literal.
func container(text string, t valueTypes) ([]byte, bool) {
	if text == "" || !(text[0] == '[' && t&typeArray != 0 || text[0] == '{' && t&typeObject != 0) {
		return nil, false
	}
	if v := cleanJSON([]byte(text)); v != nil {
		return v, true
	}
	if v, ok := pyLiteral(text); ok {
		return v, true
	}
	var inner string // the inside of a JSON string, its quotation marks still escaped
	if strings.Contains(text, `\"`) && json.Unmarshal([]byte(`"`+text+`"`), &inner) == nil && json.Valid([]byte(inner)) {
		return []byte(inner), true
	}
	return nil, false
}

// literal returns raw as JSON when it is JSON or a Python literal, else as a string.
func literal(raw string) []byte { return literalOr(strings.TrimSpace(raw), raw) }

func literalOr(text, raw string) []byte {
	if v := cleanJSON([]byte(text)); v != nil && text != "" && text[0] != '"' {
		return v
	}
	if text != "" && strings.ContainsRune("[{(TFN-0123456789", rune(text[0])) {
		if v, ok := pyLiteral(text); ok {
			return v
		}
	}
	return quoteJSON(raw)
}
