package jsontext

// deepest is how deep values may nest in what Valid and Strict accept: as deep as encoding/json allows.
const deepest = 10000

// Valid reports whether in is one whole JSON value by the rules of json.Valid. It is several times as fast where the
// value is mostly text.
func Valid(in []byte) bool {
	c := checker{Cursor: Cursor{In: in}}
	return c.whole()
}

// Strict reports whether in is one whole JSON value that every reader reads alike: besides Valid, it is valid UTF-8,
// has no half of a surrogate pair, and no object has a name twice.
func Strict(in []byte) bool {
	c := checker{Cursor: Cursor{In: in}, strict: true}
	return c.whole()
}

// Value steps over any value. It reports false also for one that is nested almost as deep as Valid allows: the cursor does not
// know what is around it.
func (c *Cursor) Value() bool {
	const around = 100
	all := checker{Cursor: *c, depth: around}
	ok := all.value()
	c.At = all.At
	return ok
}

// checker steps over a value, whatever it contains.
type checker struct {
	Cursor
	strict bool
	depth  int // of the containers around
}

func (c *checker) whole() bool {
	if !c.value() {
		return false
	}
	c.Space()
	return c.At == len(c.In)
}

func (c *checker) value() bool {
	c.Space()
	switch c.Next() {
	case '{':
		return c.container('}')
	case '[':
		return c.container(']')
	case '"':
		return c.text()
	case 't':
		return c.Word("true")
	case 'f':
		return c.Word("false")
	case 'n':
		return c.Word("null")
	}
	return c.Number()
}

func (c *checker) container(end byte) bool {
	if c.depth++; c.depth > deepest {
		return false
	}
	c.At++
	c.Space()
	if c.Take(end) {
		c.depth--
		return true
	}
	if end == '}' && c.strict {
		var names Names
		return c.items(end, &names)
	}
	return c.items(end, nil)
}

// items steps over the items of a container and its end. The names of an object are compared where names is given.
func (c *checker) items(end byte, names *Names) bool {
	for {
		if end == '}' && !c.key(names) || !c.value() {
			return false
		}
		c.Space()
		if !c.Take(',') {
			c.depth--
			return c.Take(end)
		}
	}
}

func (c *checker) key(names *Names) bool {
	c.Space()
	from := c.At + 1
	if !c.text() || names != nil && !names.Add(c.In, from, c.At-1) {
		return false
	}
	c.Space()
	return c.Take(':')
}

func (c *checker) text() bool {
	_, ok := c.Cursor.text(c.strict)
	return ok
}
