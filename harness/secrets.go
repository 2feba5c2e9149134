package harness

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"rein/harness/settings"
	"rein/redact"
	"rein/sandbox"
	"rein/toolkit/web"
)

// readSecrets reads the named values of all layers; a later layer replaces an earlier one. A secret without a value on
// this machine is left out with a warning.
func readSecrets(layers []settings.Layer, warn func(string)) ([]web.Secret, error) {
	named := map[string]settings.Secret{}
	for _, l := range layers {
		if len(l.Secrets) == 0 {
			continue
		}
		if err := json.Unmarshal(l.Secrets, &named); err != nil {
			return nil, settings.Error{Err: fmt.Errorf("%s: secrets: %w", l.Path, settings.WrongKind(err))}
		}
	}
	var all []web.Secret
	for _, name := range slices.Sorted(maps.Keys(named)) {
		s := named[name]
		value, err := s.Resolve()
		if err != nil {
			warn(fmt.Sprintf("settings: the secret %s is left out: %v", name, err))
			continue
		}
		all = append(all, web.Secret{Name: name, Value: value, Hosts: s.Hosts})
	}
	return all, nil
}

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
		if sandbox.SecretName(name) {
			values = append(values, redact.Value{Name: name, Text: value})
		}
	}
	return values
}

// EnvironmentMask gives a filter that hides the values of environment variables that are secrets, for programs that record
// without a Harness.
func EnvironmentMask() *redact.Filter { return newMask(nil) }

// Environ gives the environment of this process without variables whose names mark secrets, for a program that the user
// starts without a sandbox, such as an editor.
func Environ() []string {
	return slices.DeleteFunc(os.Environ(), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return sandbox.SecretName(name)
	})
}
