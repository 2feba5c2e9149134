package schema

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// coercer changes what certainly cannot stand as it is and can be read in one way only, and notes each change.
type coercer struct {
	notes []string
	more  int // notes that were only counted
}

// maxNotes bounds the notes; a thousand texts for numbers are one mistake.
const maxNotes = 20

func (c *coercer) note(path, format string, args ...any) {
	if len(c.notes) == maxNotes {
		c.more++
		return
	}
	if path == "" {
		path = "arguments"
	}
	c.notes = append(c.notes, path+": "+fmt.Sprintf(format, args...))
}

// told returns the notes and how many more there would be.
func (c *coercer) told() []string {
	if c.more > 0 {
		return append(c.notes, fmt.Sprintf("and %d more changes", c.more))
	}
	return c.notes
}

// coerce fits v to n where the type alone shows that v cannot be valid.
func (c *coercer) coerce(v *value, n *node, path string) {
	if n == nil {
		return
	}
	if v.kinds()&n.effective == 0 && !c.convert(v, n, path) {
		return
	}
	switch v.kind {
	case '0':
		c.integral(v, n, path)
	case '[':
		if items := n.itemNode(); items != nil {
			for i, item := range v.items {
				c.coerce(item, items, path+"["+strconv.Itoa(i)+"]")
			}
		}
	case '{':
		c.object(v, n, path)
	}
}

// convert replaces v by the one value of a wanted type that it spells, and reports whether there is one.
func (c *coercer) convert(v *value, n *node, path string) bool {
	if v.kind == '"' {
		for _, read := range []func(string, kinds) *value{numberIn, booleanIn, containerIn} {
			if w := read(v.text, n.effective); w != nil {
				c.note(path, "read the string as %s", w.word())
				*v = *w
				return true
			}
		}
	}
	if n.effective&isArray != 0 && (v.kind == '"' && !looksStructured(v.text) || v.kind == '0' || v.kind == 't' || v.kind == 'f') {
		items := n.itemNode()
		if items == nil {
			return false
		}
		one := *v
		if one.kinds()&items.effective == 0 {
			return false
		}
		c.note(path, "put the single value into a list")
		*v = value{kind: '[', items: []*value{&one}}
		return true
	}
	return false
}

// integral rewrites a whole number that is spelt as a fraction where only an integer may be: 5.0 becomes 5.
func (c *coercer) integral(v *value, n *node, path string) {
	if n.effective&isNumber != 0 || n.effective&isInteger == 0 {
		return
	}
	if plain := plainInteger(v.text); plain != "" && plain != v.text {
		c.note(path, "read %s as the integer %s", v.text, plain)
		v.text = plain
	}
}

// object drops nulls that stand for "not given" and descends into the members.
func (c *coercer) object(v *value, n *node, path string) {
	kept := v.members[:0]
	for _, m := range v.members {
		child := n.childNode(m.name)
		at := join(path, m.name)
		if m.value.kind == 'n' && child != nil && child.effective&isNull == 0 && !n.requires(m.name) {
			c.note(at, "left out, because null means not given")
			continue
		}
		c.coerce(m.value, child, at)
		kept = append(kept, m)
	}
	v.members = kept
}

// numberIn reads a string that is nothing but a JSON number.
func numberIn(text string, wanted kinds) *value {
	if wanted&(isNumber|isInteger) == 0 || !isNumeral(text) {
		return nil
	}
	v := &value{kind: '0', text: text}
	if v.kinds()&wanted == 0 {
		return nil
	}
	return v
}

func booleanIn(text string, wanted kinds) *value {
	if wanted&isBoolean == 0 {
		return nil
	}
	switch text {
	case "true", "True", "TRUE":
		return &value{kind: 't'}
	case "false", "False", "FALSE":
		return &value{kind: 'f'}
	}
	return nil
}

// containerIn reads a string that holds an object or a list as JSON.
func containerIn(text string, wanted kinds) *value {
	if wanted&(isObject|isArray) == 0 || !looksStructured(text) {
		return nil
	}
	v, err := parse([]byte(text))
	if err != nil || v.kinds()&wanted == 0 {
		return nil
	}
	return v
}

// looksStructured reports whether a text begins like an object or a list, so that to wrap it whole could be a misreading.
func looksStructured(text string) bool {
	text = strings.TrimLeft(text, " \t\r\n")
	return text != "" && (text[0] == '{' || text[0] == '[')
}

// isNumeral reports whether text is a JSON number of a reasonable size.
func isNumeral(text string) bool {
	v := jsontext.Value(text)
	return text != "" && len(text) < 64 && (text[0] == '-' || text[0] >= '0' && text[0] <= '9') &&
		text[len(text)-1] > ' ' && v.IsValid() && boundedNumber(text)
}

// plainInteger spells an integral number of at most 64 bits with digits alone; "" when it is none.
func plainInteger(text string) string {
	if !strings.ContainsAny(text, ".eE") {
		if len(text) > 300 {
			return ""
		}
		return text
	}
	if !boundedNumber(text) || len(text) > 64 {
		return ""
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok || !r.IsInt() || !r.Num().IsInt64() {
		return ""
	}
	return strconv.FormatInt(r.Num().Int64(), 10)
}

// word names a value for a note.
func (v *value) word() string {
	switch v.kind {
	case '{':
		return "the object that it holds"
	case '[':
		return "the list that it holds"
	}
	return string(v.append(nil))
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
