package redact

import (
	"fmt"
	"strings"
	"testing"
)

// TestOrdinaryValuesHideNoCode: a value that is written as names in code are is left alone; one that somebody made up is not.
func TestOrdinaryValuesHideNoCode(t *testing.T) {
	for _, ordinary := range []string{"development", "firebase-auth", "BCryptPasswordHasher", "django.contrib.auth", "app:cache:session", "OAuthTokenProvider", "auth/internal/tokens", "postgres", "enabled", "12345"} {
		if text := "the code has " + ordinary + " in it"; New([]Value{{Name: "KEY", Text: ordinary}}).String(text) != text {
			t.Errorf("%s is hidden", ordinary)
		}
	}
	for _, secret := range []string{"Sommer-2024!", "hunter22!", "c0rrect-h0rse", "qWxRtZuPsDfGhJk", "correcthorsebottlestaple", "correct-horse-bottle-staple", "xkqzvbtr.wplmnghf", "aGVsbG9Xb3JsZA", "sk.test.4f9a", "Tr0ub4dor&3", "ZxCvBnMaSdFgHj"} {
		if shown := New([]Value{{Name: "KEY", Text: secret}}).String("it is " + secret); strings.Contains(shown, secret) {
			t.Errorf("%s is shown", secret)
		}
	}
}

// TestGroupsShareWhatAFilterTakes: a group with many values keeps no value of another one out.
func TestGroupsShareWhatAFilterTakes(t *testing.T) {
	f := New(nil)
	var many []Value
	for i := range MaxValues {
		many = append(many, Value{Text: fmt.Sprintf("v4lue-%d-x", i)})
	}
	added, left := f.AddShared([][]Value{many, {{Text: "first-0f-two"}, {Text: "s3cond-of-two"}}}, MaxValues)
	if added != MaxValues || left[0] != 2 || left[1] != 0 || f.String("s3cond-of-two") == "s3cond-of-two" {
		t.Errorf("added %d, left %d", added, left)
	}
}
