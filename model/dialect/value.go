package dialect

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// certain says what the markup itself tells of a value's type.
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
	shape   *shape
	members []member
	whole   []byte // all arguments as one JSON object, where the model wrote them so
	cut     bool   // the next call began where the closer should be
}

// member is one argument; its value is JSON.
type member struct {
	key   string
	value []byte
}

func newObject(s *shape) *object { return &object{shape: s} }

// set adds an argument.
func (o *object) set(key, raw string, c certain, nullText bool) {
	var s *shape
	known := false
	if o.shape != nil {
		s, known = o.shape.members[key]
	}
	switch {
	case c == asText:
		o.put(key, quote(raw))
	case c == asNumber || c == asJSON && !known:
		o.put(key, literal(raw))
	case !known:
		o.put(key, quote(raw))
	default:
		o.put(key, typed(raw, s.types, nullText))
	}
}

// put adds a member whose value is JSON.
func (o *object) put(key string, value []byte) { o.members = append(o.members, member{key, value}) }

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
		out = append(append(append(out, quote(m.key)...), ':'), m.value...)
	}
	return append(out, '}')
}

// unwrap takes away a wrapper that models put around all arguments, where the tool has no argument of that name.
func (o *object) unwrap() {
	if len(o.members) != 1 || o.shape == nil || o.shape.members[o.members[0].key] != nil {
		return
	}
	switch o.members[0].key {
	case "arguments", "input", "parameters", "properties":
		value := o.members[0].value
		if inner := text(value); inner != "" {
			value, _ = container(strings.TrimSpace(inner), isObject)
		}
		if len(value) > 0 && value[0] == '{' {
			o.whole, o.members = value, nil
		}
	}
}

// dropUnknown leaves out arguments that the tool does not have, and says so.
func (o *object) dropUnknown() string {
	if o.shape == nil || o.whole != nil {
		return ""
	}
	var kept []member
	why := ""
	for _, m := range o.members {
		if o.shape.members[m.key] != nil {
			kept = append(kept, m)
		} else {
			why = "the argument " + m.key + " is unknown and was left out"
		}
	}
	if len(kept) > 0 {
		o.members = kept
		return why
	}
	return ""
}

// Typed returns the JSON value that a raw text stands for where the schema names these types, as in "integer". A text that
// fits none of them stays a string, for the validator to refuse; it is never bent. With nullText, null is the null value
// even where only a string is asked for.
func Typed(raw string, names []string, nullText bool) json.RawMessage {
	var t types
	for _, n := range names {
		t |= typeNames[n]
	}
	return typed(raw, t, nullText)
}

// typed tries the narrow types first; a string is what is left.
func typed(raw string, t types, nullText bool) []byte {
	text := strings.TrimSpace(raw)
	if strings.EqualFold(text, "null") && (t&isNull != 0 || t != 0 && (nullText || t&isString == 0)) || text == "None" && t&isNull != 0 {
		return []byte("null")
	}
	if t&isBoolean != 0 {
		switch strings.ToLower(text) {
		case "true", "false":
			return []byte(strings.ToLower(text))
		}
	}
	if t&(isInteger|isNumber) != 0 {
		if n, ok := number(text, t&isNumber == 0); ok {
			return n
		}
	}
	if t&(isArray|isObject) != 0 {
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
	return quote(raw)
}

// number returns text as a JSON number.
func number(text string, whole bool) ([]byte, bool) {
	digits := strings.TrimPrefix(strings.TrimPrefix(text, "+"), "-")
	if digits == "" || digits[0] < '0' || digits[0] > '9' {
		return nil, false
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return strconv.AppendInt(nil, n, 10), true
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || strings.ContainsAny(text, "xXpP_") {
		return nil, false
	}
	if whole && f != float64(int64(f)) {
		return nil, false
	}
	if json.Valid([]byte(text)) {
		return []byte(text), true
	}
	return strconv.AppendFloat(nil, f, 'g', -1, 64), true
}

// container returns text as an array or object: JSON, else a Python literal.
func container(text string, t types) ([]byte, bool) {
	if text == "" || !(text[0] == '[' && t&isArray != 0 || text[0] == '{' && t&isObject != 0) {
		return nil, false
	}
	if v := clean([]byte(text)); v != nil {
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
	if v := clean([]byte(text)); v != nil && text != "" && text[0] != '"' {
		return v
	}
	if text != "" && strings.ContainsRune("[{(TFN-0123456789", rune(text[0])) {
		if v, ok := pyLiteral(text); ok {
			return v
		}
	}
	return quote(raw)
}

// quote returns s as a JSON string.
func quote(s string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(strings.ToValidUTF8(s, "\uFFFD"))
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// splitPointer splits a JSON pointer and undoes its escapes.
func splitPointer(s string) []string {
	steps := strings.Split(s, "/")
	for i, step := range steps {
		steps[i] = strings.ReplaceAll(strings.ReplaceAll(step, "~1", "/"), "~0", "~")
	}
	return steps
}
