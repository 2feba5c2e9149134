package tree

import "strings"

// Words is a set of keywords, separated by blanks.
type Words string

// Has looks a word up.
func (w Words) Has(word string) bool {
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
	PlainWords  Words = "type description enum items properties required"
	noteWords   Words = "title default examples deprecated readOnly writeOnly format contentEncoding contentMediaType"
	LimitWords  Words = "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern minItems maxItems uniqueItems"
	mapWords    Words = "additionalProperties patternProperties propertyNames minProperties maxProperties dependentRequired dependentSchemas"
	choiceWords Words = "anyOf oneOf allOf not if then else const"
	listWords   Words = "prefixItems contains minContains maxContains unevaluatedItems unevaluatedProperties"
	AllWords          = PlainWords + " " + noteWords + " " + LimitWords + " " + mapWords + " " + choiceWords + " " + listWords + " $ref $defs"
	RootOfAll         = PlainWords + " " + noteWords + " " + mapWords + " unevaluatedProperties $defs"
)

// Annotations say nothing about whether a value is valid.
const Annotations Words = "title description default examples example deprecated readOnly writeOnly $comment $schema $defs definitions nullable discriminator contentEncoding contentMediaType propertyOrdering"
