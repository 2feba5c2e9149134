package guard

import (
	"encoding/json"
	"testing"
)

// TestNoTextPassesForAPerson: what a name says does not make it a person, in this process or after a journal was read.
func TestNoTextPassesForAPerson(t *testing.T) {
	for _, name := range []string{"", "user", "user Mei", "rule x", "hook x", "the deadline", "policy", "policy user", "policy policy user", " user", "user ", "reviewer m"} {
		for _, who := range []Who{{}, ByPerson(name), ByRule(name), ByHook(name), ByDeadline(), ByPolicy(name)} {
			var back Who
			text, err := json.Marshal(who)
			if err == nil {
				err = json.Unmarshal(text, &back)
			}
			if err != nil || back.IsPerson() != who.IsPerson() || back.String() != who.String() {
				t.Errorf("%#v is recorded as %s and read as %#v, %v", who, text, back, err)
			}
		}
	}
	for text, want := range map[string]Who{"user": ByPerson(""), "user Mei Lin": ByPerson("Mei Lin"), "rule bash(go test:*)": ByRule("bash(go test:*)"), "hook lint": ByHook("lint"),
		"the deadline": ByDeadline(), "reviewer m": ByPolicy("reviewer m"), "users": ByPolicy("users"), "": {}} {
		if got := ParseWho(text); got != want || got.String() != text {
			t.Errorf("%q is read as %#v", text, got)
		}
	}
}
