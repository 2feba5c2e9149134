package config

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

// Where says where entries come from. A later source wins over an earlier one with the same name: the project's file, the
// user's settings, the files of the command line.
type Where struct {
	Project  []byte // the content of .mcp.json, which the user trusts; nil: none
	Settings []Text // "mcpServers" of the user's settings, from the lowest layer to the highest
	Files    []string
	Strict   bool // only Files count
}

// Text is a piece of settings.
type Text struct {
	Source string // the file
	JSON   []byte
}

// ProjectFile is the project's file with tool servers.
const ProjectFile = ".mcp.json"

// Read reads what servers there are, sorted by name. What cannot be used is left out, with a line in warnings; settings or a
// file of the command line that cannot be read are an error.
func Read(w Where) (entries []Entry, warnings []string, err error) {
	add := func(more []Entry, bad []error, failed error) error {
		for _, e := range more {
			entries = append(slices.DeleteFunc(entries, func(have Entry) bool { return have.Name == e.Name }), e)
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
		if err := add(Parse(w.Project, Project, ProjectFile)); err != nil {
			warnings = append(warnings, err.Error())
		}
	}
	for _, t := range w.Settings {
		if err := add(ParseServers(t.JSON, User, t.Source)); err != nil {
			return nil, nil, err
		}
	}
	for _, file := range w.Files {
		text, err := readFile(file)
		if err == nil {
			err = add(Parse(text, Flag, file))
		}
		if err != nil {
			return nil, nil, fmt.Errorf("--mcp-config: %w", err)
		}
	}
	slices.SortFunc(entries, func(a, b Entry) int { return cmp.Compare(a.Name, b.Name) })
	return entries, warnings, nil
}

const mostFile = 1 << 20 // bytes of a file with tool servers

// readFile reads a file that the user named.
func readFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, mostFile+1))
	if err == nil && len(text) > mostFile {
		err = errors.New("the file is larger than 1 MiB")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return text, nil
}
