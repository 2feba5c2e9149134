package main

import (
	"os"
	"strings"

	"rein/redact"
	"rein/sandbox"
)

// knownSecrets are the values of the environment's variables whose names say that they are secret. They are masked in
// all that tools write, in the journal and on the screen.
func knownSecrets() []redact.Value {
	var values []redact.Value
	for _, pair := range os.Environ() {
		name, value, _ := strings.Cut(pair, "=")
		if sandbox.SecretName(name) {
			values = append(values, redact.Value{Name: name, Text: value})
		}
	}
	return values
}
