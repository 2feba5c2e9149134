package guard

import "strings"

// Who gave an answer. Only the functions below make one, so that no text can pass for a person. The zero value is nobody who is known.
// As JSON it is its text, which ParseWho reads.
type Who struct {
	kind whoKind
	name string
}

type whoKind uint8

const (
	unknown whoKind = iota
	person
	rule
	hook
	deadline
	policy
)

// firstWords are the words with which the texts of the kinds begin.
var firstWords = [...]string{person: "user", rule: "rule", hook: "hook", deadline: "the deadline", policy: "policy"}

// ByPerson is a person. The name tells several people apart, else it is "".
func ByPerson(name string) Who { return Who{person, name} }

// ByRule is an allow rule of the user, as it is written.
func ByRule(text string) Who { return Who{rule, text} }

// ByHook is a hook, by its name.
func ByHook(name string) Who { return Who{hook, name} }

// ByDeadline is the end of the time in which somebody could answer.
func ByDeadline() Who { return Who{kind: deadline} }

// ByPolicy is any other program that answers by itself: "reviewer openai/gpt-5".
func ByPolicy(name string) Who { return Who{policy, name} }

// ByNobody is the lack of anybody who could answer.
func ByNobody() Who { return ByPolicy("nobody") }

// IsPerson reports whether a person answered.
func (w Who) IsPerson() bool { return w.kind == person }

// Rule returns the allow rule that answered.
func (w Who) Rule() (text string, ok bool) { return w.name, w.kind == rule }

// IsZero reports whether it is not known who answered.
func (w Who) IsZero() bool { return w == Who{} }

// String returns "user", "user Mei", "rule bash(go test:*)", "hook lint", "the deadline", or the name of a policy; "" for the zero value.
func (w Who) String() string {
	switch {
	case w.kind == policy && ParseWho(w.name) == w:
		return w.name
	case w.name == "":
		return firstWords[w.kind]
	}
	return firstWords[w.kind] + " " + w.name
}

// ParseWho reads what String returned. It is for records that the program made itself: a text that says that it is of a person is
// believed.
func ParseWho(text string) Who {
	for kind, first := range firstWords {
		if name, ok := strings.CutPrefix(text, first); ok && first != "" && (name == "" || name[0] == ' ' && len(name) > 1) {
			return Who{whoKind(kind), strings.TrimPrefix(name, " ")}
		}
	}
	if text == "" {
		return Who{}
	}
	return ByPolicy(text)
}

// MarshalText returns String.
func (w Who) MarshalText() ([]byte, error) { return []byte(w.String()), nil }

// UnmarshalText is ParseWho.
func (w *Who) UnmarshalText(text []byte) error {
	*w = ParseWho(string(text))
	return nil
}
