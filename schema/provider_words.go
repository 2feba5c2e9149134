package schema

import "strings"

// words is a set of keywords, separated by blanks.
type words string

// Has looks a word up.
func (w words) Has(word string) bool {
	if word == "" || strings.Contains(word, " ") {
		return false
	}
	for at := 0; ; {
		i := strings.Index(string(w)[at:], word)
		if i < 0 {
			return false
		}
		start, end := at+i, at+i+len(word)
		if (start == 0 || w[start-1] == ' ') && (end == len(w) || w[end] == ' ') {
			return true
		}
		at = start + 1
	}
}

const (
	plainWords  words = "type description enum items properties required"
	noteWords   words = "title default examples deprecated readOnly writeOnly format contentEncoding contentMediaType"
	limitWords  words = "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern minItems maxItems uniqueItems"
	mapWords    words = "additionalProperties patternProperties propertyNames minProperties maxProperties dependentRequired dependentSchemas"
	choiceWords words = "anyOf oneOf allOf not if then else const"
	listWords   words = "prefixItems contains minContains maxContains unevaluatedItems unevaluatedProperties"
	allWords          = plainWords + " " + noteWords + " " + limitWords + " " + mapWords + " " + choiceWords + " " + listWords + " $ref $defs"
	rootOfAll         = plainWords + " " + noteWords + " " + mapWords + " unevaluatedProperties $defs"
)

// annotations say nothing about whether a value is valid.
const annotations words = "title description default examples example deprecated readOnly writeOnly $comment $schema $defs definitions nullable discriminator contentEncoding contentMediaType propertyOrdering"
