package settings

import (
	"fmt"
	"os"
	"strings"
)

// Secret is a named value for http_request: where it comes from, and the hosts that it may go to.
type Secret struct {
	Env   string   `json:"env,omitempty"`   // the environment variable that holds it
	File  string   `json:"file,omitempty"`  // the file that holds it, absolute or below ~
	Value string   `json:"value,omitempty"` // itself
	Hosts []string `json:"hosts"`           // as in network.allow; none means nowhere
}

func (s Secret) Resolve() (string, error) {
	switch {
	case s.Value != "":
		return s.Value, nil
	case s.Env != "":
		if value := os.Getenv(s.Env); value != "" {
			return value, nil
		}
		return "", fmt.Errorf("the variable %s is not set", s.Env)
	case s.File != "":
		text, err := os.ReadFile(UnderHome(s.File))
		if value := strings.TrimSpace(string(text)); err != nil || value != "" {
			return value, err
		}
		return "", fmt.Errorf("the file %s is empty", s.File)
	}
	return "", fmt.Errorf("it has none of env, file and value")
}
