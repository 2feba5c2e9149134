package schema

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

func kindOf(name string) (kinds, bool) {
	for i, n := range kindNames {
		if n == name {
			return 1 << i, true
		}
	}
	return 0, false
}

// kinds tells the type of a value; an integral number is an integer and a number.
func (v *value) kinds() kinds {
	switch v.kind {
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
	if plainInteger(v.text) != "" {
		return isInteger | isNumber
	}
	return isNumber
}
