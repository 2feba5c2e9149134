package harness

import (
	"os"
	"slices"
	"strings"

	"rein/kit/sandbox"
	"rein/kit/tools/web"
	"rein/redact"
)

// newMask makes the filter for everything that rein writes.
func newMask(secrets []web.Secret) *redact.Filter {
	values := environmentSecrets()
	for _, s := range secrets {
		values = append(values, redact.Value{Name: s.Name, Text: s.Value, Declared: true})
	}
	return redact.New(values)
}

// environmentSecrets are the values of environment variables whose names mark them as secret.
func environmentSecrets() []redact.Value {
	var values []redact.Value
	for _, pair := range os.Environ() {
		name, value, _ := strings.Cut(pair, "=")
		if !sandbox.SecretName(name) {
			continue
		}
		values = append(values, redact.Value{Name: name, Text: value})
		if strings.HasSuffix(strings.ToUpper(name), "_HEADERS") { // name=value,…
			for part := range strings.SplitSeq(value, ",") {
				_, text, _ := strings.Cut(part, "=")
				values = append(values, redact.Value{Name: name, Text: strings.TrimSpace(text)})
			}
		}
	}
	return values
}

// EnvironmentMask returns a filter that hides the values of environment variables that are secrets, for programs that record
// without a Harness.
func EnvironmentMask() *redact.Filter { return newMask(nil) }

// Environ returns the environment of this process without variables whose names mark secrets, for a program that the user
// starts without a sandbox, such as an editor.
func Environ() []string {
	return slices.DeleteFunc(os.Environ(), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return sandbox.SecretName(name)
	})
}
