// Package catalogue lists what sessions have beside their conversations, such as skills, rules and what is remembered, shows single
// entries, and changes them. Commands and front ends are written against Catalogue; Local is the one of this machine.
//
// It also judges calls by hand, without running them: what a call would do, which rules match it, and what other rules would
// have decided in recorded sessions.
package catalogue

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"rein/app/harness"
)

// Catalogue lists, shows and changes entries. Its methods may be called by several goroutines at once.
type Catalogue interface {
	// List returns the entries of a kind, in the order in which they count.
	List(ctx context.Context, kind Kind) (List, error)
	// Do shows or changes an entry and returns what a person reads about it; "": there is nothing to add. Where it fails, the text is
	// what is known beside the error. It fails with ErrNotThere where this catalogue has no such verb.
	Do(ctx context.Context, r Request) (string, error)
}

// ErrNotThere means that a server cannot do something.
var ErrNotThere = errors.New("not over a server. Use its page, or rein on its machine")

// Kind is a kind of entries, by the name of rein's command about it.
type Kind string

// The kinds. Tools and Settings are only listed, and only where the sessions are elsewhere.
const (
	Agents      Kind = "agents" // kinds of sub-agents
	Skills      Kind = "skills"
	ToolServers Kind = "mcp"
	Hooks       Kind = "hooks"
	Memory      Kind = "memory" // what is remembered for later sessions
	Schedules   Kind = "cron"   // tasks that run later or regularly
	Rules       Kind = "rules"  // for what may run
	Sessions    Kind = "sessions"
	Tools       Kind = "tools"
	Settings    Kind = "settings"
)

// List is the entries of a kind, and what is wrong with what is not among them.
type List struct {
	Entries  []Entry
	Warnings []string
}

// Entry is one thing of a list. Its texts are as they were written: who shows them makes them safe for a terminal.
type Entry struct {
	ID     string  // names it in a Request
	Name   string  // what a list shows first
	About  string  // what a list shows beside it
	Fields []Field // what is known of it, in order; none is empty
	Text   string  // all of it for a person; "": the verb "show" reads it, or the fields are all
	Value  any     // its JSON is what "rein KIND list --json" prints
}

// Field is one thing that is known of an entry.
type Field struct{ Name, Text string }

// Field returns the text of a field; "" where there is none.
func (e Entry) Field(name string) string {
	for _, f := range e.Fields {
		if f.Name == name {
			return f.Text
		}
	}
	return ""
}

// Named returns the entries with an ID. There are several where one hides another.
func (l List) Named(id string) (all []Entry) {
	for _, e := range l.Entries {
		if e.ID == id {
			all = append(all, e)
		}
	}
	return all
}

// Request is what is done with an entry.
type Request struct {
	Kind       Kind
	Verb       string   // show, remove, and others of the kind
	Name       string   // the ID of the entry, or several of what is remembered; with "add", "search" and rules the text
	Everywhere bool     // a new entry, or a rule that is removed, holds for all directories, not only for this one
	Mode       string   // in which a call is explained
	Allowed    []string // by a person for the session in which a call is explained: rules
}

// Parse reads a request as rein's command line has it: a verb, the flag --user, and entries or a text. ok is false where there are other
// flags, which only that command knows.
func Parse(kind Kind, args []string) (r Request, ok bool) {
	if len(args) == 0 {
		return r, false
	}
	r = Request{Kind: kind, Verb: args[0]}
	words := args[1:]
	if len(words) > 0 && words[0] == "--user" {
		r.Everywhere, words = true, words[1:]
	}
	if len(words) > 0 && words[0] == "--" {
		words = words[1:]
	} else if slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, "-") }) {
		return r, false
	}
	r.Name = strings.Join(words, " ")
	return r, true
}

// Fields pairs names with texts, and leaves out those without a text.
func Fields(namesAndTexts ...string) (all []Field) {
	for i := 0; i+1 < len(namesAndTexts); i += 2 {
		if namesAndTexts[i+1] != "" {
			all = append(all, Field{namesAndTexts[i], namesAndTexts[i+1]})
		}
	}
	return all
}

// Lines lays fields out, one a line, with names of a width.
func Lines(width int, all []Field) string {
	var b strings.Builder
	for _, f := range all {
		fmt.Fprintf(&b, "%-*s %s\n", width, f.Name, f.Text)
	}
	return b.String()
}

// oneLine is a text in one line of at most n characters.
func oneLine(s string, n int) string {
	s = strings.Join(strings.Fields(s), " ")
	if runes := []rune(s); len(runes) > n {
		return string(runes[:n-1]) + "…"
	}
	return s
}

func yesOrNo(b bool) string {
	if b {
		return "yes"
	}
	return ""
}

// inputError is the error for an entry that is not there, or that cannot be used.
func inputError(format string, args ...any) error {
	return harness.Error{Kind: harness.Input, Err: fmt.Errorf(format, args...)}
}
