package schema

import (
	"fmt"
	"strings"
)

// lostNote describes in words a keyword that the provider does not take. A keyword that no draft defines is no loss.
func lostNote(word string, v *Value) (note string, known bool) {
	if format, ok := lostWords[word]; ok {
		if format == "" {
			return "", true
		}
		return fmt.Sprintf(format, shorten(strings.Trim(string(v.Append(nil)), `"`), 120)), true
	}
	switch word {
	case "uniqueItems":
		return "no item twice", v.Kind == 't'
	case "additionalProperties":
		if v.Kind == '{' && len(v.Members) > 0 {
			return "other members: " + shorten(string(v.Append(nil)), 120), true
		}
		return "", v.Kind == 'f'
	}
	return "", allWords.Has(word)
}

var lostWords = map[string]string{
	"minimum": "at least %s", "maximum": "at most %s", "exclusiveMinimum": "more than %s", "exclusiveMaximum": "less than %s",
	"multipleOf": "a multiple of %s", "minLength": "at least %s characters", "maxLength": "at most %s characters",
	"pattern": "must match %s", "format": "format %s", "minItems": "at least %s items", "maxItems": "at most %s items",
	"minProperties": "at least %s members", "maxProperties": "at most %s members", "default": "default %s", "examples": "for example %s",
	"example": "for example %s", "propertyNames": "names of members: %s", "patternProperties": "members by name: %s", "prefixItems": "the items in order: %s",
	"dependentRequired": "needs along: %s", "not": "but not %s", "if": "", "then": "", "else": "", "contains": "one item is %s", "title": "",
	"contentEncoding": "encoded as %s", "contentMediaType": "holds %s",
}
