package mcp

import (
	"fmt"
	"os"
	"slices"
	"sort"
)

// ConfigPlaces says where entries come from. A later source wins over an earlier one with the same name: the project's file, the
// user's settings, the files of the command line.
type ConfigPlaces struct {
	Project  []byte       // the content of .mcp.json, which the user trusts; nil: none
	Settings []ConfigText // "mcpServers" of the user's settings, from the lowest layer to the highest
	Files    []string
	Strict   bool // only Files count

	ReadFile func(name string) ([]byte, error) // reads one of Files; nil: os.ReadFile, which waits for a pipe and reads without end
}

// ConfigText is a piece of settings.
type ConfigText struct {
	Source string // the file
	JSON   []byte
}

// ProjectFile is the project's file with tool servers.
const ProjectFile = ".mcp.json"

// ReadConfig reads what servers there are, sorted by name. What cannot be used is left out, with a line in warnings; settings or a
// file of the command line that cannot be read are an error.
func ReadConfig(w ConfigPlaces) (entries []ServerEntry, warnings []string, err error) {
	add := func(more []ServerEntry, bad []error, failed error) error {
		for _, e := range more {
			entries = append(slices.DeleteFunc(entries, func(have ServerEntry) bool { return have.Name == e.Name }), e)
		}
		for _, b := range bad {
			warnings = append(warnings, b.Error())
		}
		return failed
	}
	if w.Strict {
		w.Project, w.Settings = nil, nil
	}
	if w.Project != nil {
		if err := add(parseConfig(w.Project, ProjectScope, ProjectFile)); err != nil {
			warnings = append(warnings, err.Error())
		}
	}
	for _, t := range w.Settings {
		if err := add(parseServers(t.JSON, UserScope, t.Source)); err != nil {
			return nil, nil, err
		}
	}
	readFile := w.ReadFile
	if readFile == nil {
		readFile = os.ReadFile
	}
	for _, file := range w.Files {
		text, err := readFile(file)
		if err == nil {
			err = add(parseConfig(text, flagScope, file))
		}
		if err != nil {
			return nil, nil, fmt.Errorf("--mcp-config: %w", err)
		}
	}
	sort.Slice(entries, func(i, j int) bool { return entries[i].Name < entries[j].Name })
	return entries, warnings, nil
}
