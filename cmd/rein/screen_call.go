package main

import (
	"encoding/json"
	"slices"
	"sort"
	"strings"
)

// subjects are the arguments that say what a call is about, the most telling first. They come first, without their name.
var subjects = []string{"command", "path", "url", "pattern", "query", "job", "host", "write", "read"}

// contents are the arguments that hold what is written. They come last: the result shows the change.
var contents = []string{"content", "old_text", "new_text", "edits", "patch", "text", "items", "body"}

const (
	longestArgument = 100 // characters of an argument that are shown
	longestContent  = 40  // of one that holds content
)

// argument is one argument of a call, as text.
type argument struct{ name, text string }

// argumentsOf reads the arguments of a call in the order in which they are shown; ok is false if they are no object.
func argumentsOf(args json.RawMessage) (all []argument, ok bool) {
	dec := json.NewDecoder(strings.NewReader(string(args)))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, false
	}
	for dec.More() {
		name, err := dec.Token()
		var value json.RawMessage
		if err != nil || dec.Decode(&value) != nil {
			break
		}
		text := string(value)
		var plain string
		if json.Unmarshal(value, &plain) == nil {
			text = plain
		}
		all = append(all, argument{name.(string), text})
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].rank() < all[j].rank() })
	return all, true
}

func (a argument) rank() int {
	if i := slices.Index(subjects, a.name); i >= 0 {
		return i
	}
	if i := slices.Index(contents, a.name); i >= 0 {
		return len(subjects) + 1 + i
	}
	return len(subjects)
}

// briefArgs writes the arguments of a call on one line: what it is about first, then name=value, long values shortened.
func briefArgs(args json.RawMessage) string {
	all, ok := argumentsOf(args)
	if !ok {
		return oneLine(string(args), longestArgument)
	}
	var parts []string
	for i, a := range all {
		switch rank := a.rank(); {
		case i == 0 && rank < len(subjects):
			parts = append(parts, oneLine(a.text, longestArgument))
		case rank > len(subjects):
			parts = append(parts, oneLine(a.name, longestContent)+"="+oneLine(a.text, longestContent))
		default:
			parts = append(parts, oneLine(a.name, longestContent)+"="+oneLine(a.text, longestArgument))
		}
	}
	return strings.Join(parts, "  ")
}

// subjectOf is what a call is about, on one short line.
func subjectOf(args json.RawMessage) string {
	if all, ok := argumentsOf(args); ok && len(all) > 0 && all[0].rank() < len(subjects) {
		return oneLine(all[0].text, longestContent)
	}
	return ""
}
