package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"rein/redact"
	"rein/tool"
	"rein/toolkit/web"
)

// secretSetting is a named value for http_request: where it comes from, and the hosts that it may go to.
type secretSetting struct {
	Env   string   `json:"env,omitempty"`   // the environment variable that holds it
	File  string   `json:"file,omitempty"`  // the file that holds it, absolute or below ~
	Value string   `json:"value,omitempty"` // itself
	Hosts []string `json:"hosts"`           // as in network.allow; none means nowhere
}

// openSecrets reads the named values of all layers, the later standing over the earlier. One that has no value here
// is left out, with a line for the user.
func (w *wired) openSecrets(warn func(string)) error {
	named := map[string]secretSetting{}
	for _, l := range w.layers {
		if len(l.Secrets) == 0 {
			continue
		}
		if err := json.Unmarshal(l.Secrets, &named); err != nil {
			return coded{exitConfig, fmt.Errorf("%s: secrets: %w", l.path, err)}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(named)) {
		s := named[name]
		value, err := s.value()
		if err != nil {
			warn(fmt.Sprintf("settings: the secret %s is left out: %v", name, err))
			continue
		}
		w.secrets = append(w.secrets, web.Secret{Name: name, Value: value, Hosts: s.Hosts})
	}
	return nil
}

func (s secretSetting) value() (string, error) {
	switch {
	case s.Value != "":
		return s.Value, nil
	case s.Env != "":
		if value := os.Getenv(s.Env); value != "" {
			return value, nil
		}
		return "", fmt.Errorf("the variable %s is not set", s.Env)
	case s.File != "":
		text, err := os.ReadFile(underHome(s.File))
		if value := strings.TrimSpace(string(text)); err != nil || value != "" {
			return value, err
		}
		return "", fmt.Errorf("the file %s is empty", s.File)
	}
	return "", fmt.Errorf("it has none of env, file and value")
}

// openMask makes the filter that stands before all that rein writes.
func (w *wired) openMask() {
	values := knownSecrets()
	for _, s := range w.secrets {
		values = append(values, redact.Value{Name: s.Name, Text: s.Value, Declared: true})
	}
	w.mask = redact.New(values)
}

// webTools are the tools that reach the network. Any public host may be asked for, and the guard judges each call;
// what the settings deny, and private places that they do not open, stay closed whatever it says.
func (w *wired) webTools() ([]*tool.Tool, error) {
	web, err := web.New(web.Options{Policy: w.access.tools.Load, Secrets: w.secrets, Agent: "rein/" + version, Ask: w.askForHost})
	if err != nil {
		return nil, coded{exitConfig, fmt.Errorf("settings: secrets: %w", err)}
	}
	return []*tool.Tool{web.Fetch(), web.Request()}, nil
}
