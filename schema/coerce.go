package schema

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// coercer changes values that certainly do not fit and can be read in one way only, and notes each change.
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

// told returns the notes and the number of further ones.
func (c *coercer) told() []string {
	if c.more > 0 {
		return append(c.notes, fmt.Sprintf("and more changes: %d", c.more))
	}
	return c.notes
}

// coerce fits v to n where the type alone shows that v cannot be valid.
func (c *coercer) coerce(v *Value, n *node, path string) {
	if n == nil {
		return
	}
	if v.Kinds()&n.effective == 0 && !c.convert(v, n, path) {
		return
	}
	switch v.Kind {
	case '0':
		c.integral(v, n, path)
	case '[':
		list := n.listNode()
		for i, item := range v.Items {
			c.coerce(item, list.item(i), path+"["+strconv.Itoa(i)+"]")
		}
	case '{':
		c.object(v, n, path)
	}
}

// convert replaces v by the one value of a wanted type that it spells, and reports whether there is one.
func (c *coercer) convert(v *Value, n *node, path string) bool {
	if v.Kind == '"' {
		for _, read := range []func(string, kinds) *Value{numberIn, booleanIn, containerIn} {
			if w := read(v.Text, n.effective); w != nil {
				c.note(path, "read the string as %s", w.Word())
				*v = *w
				return true
			}
		}
	}
	if n.effective&isArray != 0 && (v.Kind == '"' && !looksStructured(v.Text) || v.Kind == '0' || v.Kind == 't' || v.Kind == 'f') {
		items := n.listNode().item(0)
		if items == nil {
			return false
		}
		one := *v
		if one.Kinds()&items.effective == 0 {
			return false
		}
		c.note(path, "put the single value into a list")
		*v = Value{Kind: '[', Items: []*Value{&one}}
		return true
	}
	return false
}

// integral rewrites a whole number that is spelt as a fraction where only an integer may be: 5.0 becomes 5.
func (c *coercer) integral(v *Value, n *node, path string) {
	if n.effective&isNumber != 0 || n.effective&isInteger == 0 {
		return
	}
	if plain := plainInteger(v.Text); plain != "" && plain != v.Text {
		c.note(path, "read %s as the integer %s", v.Text, plain)
		v.Text = plain
	}
}

// object drops nulls that mean "not given" and descends into the members.
func (c *coercer) object(v *Value, n *node, path string) {
	kept := v.Members[:0]
	for _, m := range v.Members {
		child := n.childNode(m.Name)
		at := join(path, m.Name)
		if m.Value.Kind == 'n' && child != nil && child.effective&isNull == 0 && !n.requires(m.Name) {
			c.note(at, "left out, because null means not given")
			continue
		}
		c.coerce(m.Value, child, at)
		kept = append(kept, m)
	}
	v.Members = kept
}

// numberIn reads a string that is nothing but a JSON number.
func numberIn(text string, wanted kinds) *Value {
	if wanted&(isNumber|isInteger) == 0 || !isNumeral(text) {
		return nil
	}
	v := &Value{Kind: '0', Text: text}
	if v.Kinds()&wanted == 0 {
		return nil
	}
	return v
}

func booleanIn(text string, wanted kinds) *Value {
	if wanted&isBoolean == 0 {
		return nil
	}
	switch text {
	case "true", "True", "TRUE":
		return &Value{Kind: 't'}
	case "false", "False", "FALSE":
		return &Value{Kind: 'f'}
	}
	return nil
}

// containerIn reads a string that holds an object or a list as JSON.
func containerIn(text string, wanted kinds) *Value {
	if wanted&(isObject|isArray) == 0 || !looksStructured(text) {
		return nil
	}
	v, err := parse([]byte(text))
	if err != nil || v.Kinds()&wanted == 0 {
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
		text[len(text)-1] > ' ' && v.IsValid() && isBoundedNumber(text)
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
