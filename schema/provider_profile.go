package schema

// The files provider_… write a schema, a name or an id as a provider accepts it, and turn what comes back into the
// original. A profile says what a provider accepts.

import (
	"slices"
)

// Profile is what a provider accepts of JSON Schema, of names and of ids. Profiles are data: a new provider is a row.
type Profile struct {
	Name     string
	keywords words // allowed below the root
	root     words // allowed at the root; empty: as below, without choices
	formats  words // allowed values of format; empty: all
	enums    kinds // types of values that an enum may hold
	null     nullStyle
	refs     bool // recursive references may stay
	lists    bool // type may be a list
	alone    bool // anyOf must be the only keyword of its node
	typed    bool // every node needs a type
	items    bool // every list needs items
	filled   bool // every object needs properties
	solid    bool // no literal may be empty
	strict   bool // every property is required, and nothing else is allowed
	closed   bool // every object forbids further properties
	minItems int  // largest minItems that is taken, -1 for any
	fallback string
	argument nameRule // names of properties; the zero rule takes any
	tool     nameRule
	id       nameRule
	limits   limits
}

// limits of one schema; 0 means none.
type limits struct{ properties, depth, enumValues, text int }

type nullStyle int

const (
	nullList    nullStyle = iota // ["string","null"]
	nullKeyword                  // nullable: true
	nullAnyOf                    // anyOf with {"type":"null"}
	nullNone                     // the provider has no form for it
)

const (
	strictFmts words = "date-time time date duration email hostname ipv4 ipv6 uuid"
	anyLiteral       = anyKind
)

var (
	word64     = nameRule{first: letters + digits + "_-", rest: letters + digits + "_-", most: 64}
	letter64   = nameRule{first: letters, rest: letters + digits + "_-", most: 64}
	identifier = nameRule{first: letters + "_", rest: letters + digits + "_", most: 64}
	dotted     = nameRule{first: letters + digits + "_.-", rest: letters + digits + "_.-", most: 64}
)

// profiles holds the rules as the providers documented or answered them in 2026.
var profiles = []Profile{
	{Name: "openai", keywords: allWords, root: rootOfAll, enums: anyLiteral, refs: true, lists: true, items: true, filled: true,
		minItems: -1, tool: word64, id: word64},
	{Name: "openai-strict", keywords: plainWords + " title format const anyOf $ref $defs additionalProperties pattern minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minItems maxItems",
		formats: strictFmts, enums: anyLiteral &^ (isArray | isObject), refs: true, lists: true, items: true, filled: true, strict: true, closed: true,
		minItems: -1, fallback: "openai", tool: word64, id: word64, limits: limits{5000, 10, 1000, 120_000}},
	{Name: "anthropic", keywords: allWords, root: rootOfAll, enums: anyLiteral, refs: true, lists: true, minItems: -1,
		argument: dotted, tool: word64, id: word64},
	{Name: "anthropic-strict", keywords: plainWords + " title default format const anyOf $ref $defs additionalProperties minItems",
		formats: strictFmts + " uri", enums: anyLiteral &^ (isArray | isObject), lists: true, closed: true, minItems: 1,
		fallback: "anthropic", argument: dotted, tool: word64, id: word64},
	{Name: "gemini", keywords: plainWords + " title format prefixItems minItems maxItems minimum maximum anyOf additionalProperties",
		enums: isString | isInteger | isNumber, null: nullAnyOf, typed: true, items: true, solid: true, minItems: -1, argument: identifier, tool: letter64, id: word64},
	{Name: "gemini-parameters", keywords: plainWords + " title default format example maxItems maxLength maxProperties maximum minItems minLength minProperties minimum nullable pattern anyOf",
		formats: "enum date-time int32 int64 float double", enums: isString, null: nullKeyword, alone: true, typed: true, items: true, solid: true, minItems: -1,
		argument: identifier, tool: letter64, id: word64},
	{Name: "bedrock", keywords: allWords, root: "type properties required", enums: anyLiteral, lists: true, items: true, filled: true, minItems: -1,
		argument: dotted, tool: word64, id: nameRule{first: letters + digits + "_.:-", rest: letters + digits + "_.:-", most: 64}},
	{Name: "mistral", keywords: allWords, root: rootOfAll, enums: anyLiteral, lists: true, items: true, filled: true, minItems: -1, tool: word64,
		id: nameRule{first: letters + digits, rest: letters + digits, least: 9, most: 9}},
	{Name: "cohere", keywords: plainWords + " title default format anyOf additionalProperties", enums: isString | isInteger | isNumber, null: nullAnyOf,
		typed: true, items: true, solid: true, minItems: -1, argument: identifier, tool: letter64, id: word64},
	{Name: "groq", keywords: allWords, root: rootOfAll, enums: anyLiteral, lists: true, items: true, filled: true, minItems: -1, tool: word64, id: word64},
	{Name: "ollama", keywords: plainWords + " anyOf", root: "type properties required", enums: anyLiteral, lists: true, items: true, filled: true,
		minItems: -1, tool: letter64, id: word64},
	{Name: "conservative", keywords: plainWords, enums: isString, null: nullNone, items: true, filled: true, minItems: -1,
		argument: identifier, tool: letter64, id: word64},
}

// ProfileNames returns the names of the profiles, sorted.
func ProfileNames() []string {
	var names []string
	for i := range profiles {
		names = append(names, profiles[i].Name)
	}
	slices.Sort(names)
	return names
}

// ProfileOf returns the profile of that name, and of an unknown name the conservative one and false.
func ProfileOf(name string) (Profile, bool) {
	for i := range profiles {
		if profiles[i].Name == name {
			return profiles[i], true
		}
	}
	return profiles[len(profiles)-1], false
}

// full reports whether the provider takes JSON Schema below the root as it is.
func (p *Profile) full() bool { return p.keywords.Has("not") }

// allows reports whether a keyword may be at the root or below it.
func (p *Profile) allows(word string, root bool) bool {
	if root && p.root != "" {
		return p.root.Has(word)
	}
	if root && (word == "anyOf" || word == "enum" || word == "nullable") {
		return false
	}
	return p.keywords.Has(word)
}
