package schema

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

// kinds is a set of JSON types; 0 means that nothing is said about the type.
type kinds uint8

const (
	isNull kinds = 1 << iota
	isBoolean
	isInteger
	isNumber
	isString
	isArray
	isObject
	anyKind = isNull | isBoolean | isInteger | isNumber | isString | isArray | isObject
)

var kindNames = []string{"null", "boolean", "integer", "number", "string", "array", "object"}

// kindOf returns the type of that name.
func kindOf(name string) (kinds, bool) {
	for i, n := range kindNames {
		if n == name {
			return 1 << i, true
		}
	}
	return 0, false
}

// Kinds tells the type of a value; an integral number is an integer and a number.
func (v *Value) Kinds() kinds {
	switch v.Kind {
	case 'n':
		return isNull
	case 't', 'f':
		return isBoolean
	case '"':
		return isString
	case '[':
		return isArray
	case '{':
		return isObject
	}
	if plainInteger(v.Text) != "" {
		return isInteger | isNumber
	}
	return isNumber
}

// typesOf reads the keyword type: a name or a list of names.
func typesOf(v *Value, at string) (kinds, error) {
	list := []*Value{v}
	if v.Kind == '[' {
		list = v.Items
	}
	var types kinds
	for _, item := range list {
		k, ok := kindOf(item.Text)
		if item.Kind != '"' || !ok {
			return 0, fmt.Errorf("%s: %s is not a type of JSON Schema", at, item.Append(nil))
		}
		types |= k
	}
	return types, nil
}

var articles = map[string]string{"null": "null", "boolean": "true or false", "integer": "an integer", "number": "a number",
	"string": "a string", "array": "a list", "object": "an object"}

// alternatives puts types into words: a string or null.
func alternatives(types []string) string {
	if len(types) == 0 {
		return "another form"
	}
	var words []string
	for _, t := range types {
		words = append(words, articles[t])
	}
	return strings.Join(words, " or ")
}

// Names returns the names of the types in the set.
func (k kinds) Names() []string {
	var names []string
	for i, name := range kindNames {
		if k&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return names
}

// TypeName is the type of a literal.
func (v *Value) TypeName() string {
	k := v.Kinds()
	for i, name := range kindNames {
		if k&(1<<i) != 0 {
			return name
		}
	}
	return "string"
}

// KindName names the kind of a value for a message.
func (v *Value) KindName() string {
	switch v.Kind {
	case 'n':
		return "null"
	case 't', 'f':
		return "a boolean"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case '[':
		return "a list"
	}
	return "an object"
}

// plainInteger spells an integral number of at most 64 bits with digits alone; "" when it is none.
func plainInteger(text string) string {
	if !strings.ContainsAny(text, ".eE") {
		if len(text) > 300 {
			return ""
		}
		return text
	}
	if !isBoundedNumber(text) || len(text) > 64 {
		return ""
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok || !r.IsInt() || !r.Num().IsInt64() {
		return ""
	}
	return strconv.FormatInt(r.Num().Int64(), 10)
}
