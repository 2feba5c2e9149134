package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"rein/harness/settings"
	"slices"

	"rein/netpolicy"
	"rein/redact"
	"rein/tool"
	"rein/toolkit/web"
)

// openSecrets reads the named values of all layers, the later standing over the earlier. One that has no value here
// is left out, with a line for the user.
func (w *wired) openSecrets(warn func(string)) error {
	named := map[string]settings.Secret{}
	for _, l := range w.layers {
		if len(l.Secrets) == 0 {
			continue
		}
		if err := json.Unmarshal(l.Secrets, &named); err != nil {
			return coded{exitConfig, fmt.Errorf("%s: secrets: %w", l.Path, err)}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(named)) {
		s := named[name]
		value, err := s.Resolve()
		if err != nil {
			warn(fmt.Sprintf("settings: the secret %s is left out: %v", name, err))
			continue
		}
		w.secrets = append(w.secrets, web.Secret{Name: name, Value: value, Hosts: s.Hosts})
	}
	return nil
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
	web, err := web.New(web.Options{Policy: func(string) *netpolicy.Policy { return w.access.tools.Load() }, Secrets: w.secrets, Agent: "rein/" + version, Ask: w.askForHost})
	if err != nil {
		return nil, coded{exitConfig, fmt.Errorf("settings: secrets: %w", err)}
	}
	return []*tool.Tool{web.Fetch(), web.Request()}, nil
}
