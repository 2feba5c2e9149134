package text

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Action is what a key does. Letters are no action: they go to the line.
type Action string

// The actions that keys are bound to. Letters always go to the line.
const (
	Send       Action = "send"
	Queue      Action = "queue"
	Newline    Action = "newline"
	Close      Action = "close"
	Rewind     Action = "rewind"
	Clear      Action = "clear"
	Quit       Action = "quit"
	ModeAction Action = "mode"
	Open       Action = "open"
	Todos      Action = "todos"
	History    Action = "history"
	Editor     Action = "editor"
	Redraw     Action = "redraw"
	Suspend    Action = "suspend"
	Complete   Action = "complete"
	Background Action = "background"
	EditQueue  Action = "edit-queue"
	Image      Action = "paste-image"
	Approve    Action = "approve"
	Deny       Action = "deny"
	UndoTyping Action = "undo-typing"
	RedoTyping Action = "redo-typing"

	Left, Right             Action = "left", "right"
	WordLeft, WordRight     Action = "word-left", "word-right"
	Up, Down                Action = "up", "down"
	LineStart, LineEnd      Action = "line-start", "line-end"
	Backspace, Delete       Action = "backspace", "delete"
	KillWord, KillWordRight Action = "kill-word", "kill-word-right"
	KillStart, KillEnd      Action = "kill-to-start", "kill-to-end"
	Yank, YankPop           Action = "yank", "yank-pop"
)

// Binding is an action with its keys, such as "ctrl+o" or the chord "ctrl+x y", and what it does in words; no words: it is not in the help.
type Binding struct {
	Action Action   `json:"action"`
	Keys   []string `json:"keys"`
	Help   string   `json:"help,omitempty"`
}

// Keys gives the action of a key.
type Keys struct {
	Bindings []Binding
	byKey    map[string]Action
}

// DefaultKeys returns the keys as they are without settings.
func DefaultKeys() Keys {
	return newMap([]Binding{
		{Send, []string{"enter"}, "send; while the model works: with its next request"},
		{Queue, []string{"alt+enter"}, "while the model works: after its answer; else a new line"},
		{Newline, []string{"shift+enter", "ctrl+j"}, "new line; also \\ Enter"},
		{Close, []string{"esc"}, "close what is open, then interrupt"},
		{Rewind, []string{"alt+esc"}, "clear the line; on the empty line: go back to before a message"},
		{Clear, []string{"ctrl+c"}, "clear the line, then interrupt; twice: leave"},
		{Quit, []string{"ctrl+d"}, "leave, on the empty line"},
		{ModeAction, []string{"shift+tab"}, "next mode"},
		{Complete, []string{"tab"}, "complete; with a request: go to it"},
		{Open, []string{"ctrl+o"}, "open the last results"},
		{Todos, []string{"ctrl+t"}, "show or hide the to-do list"},
		{Background, []string{"ctrl+b", "ctrl+x b"}, "move the command that runs to the background"},
		{History, []string{"ctrl+r"}, "search what you wrote before"},
		{Editor, []string{"ctrl+g", "ctrl+x ctrl+e"}, "write in your editor"},
		{Redraw, []string{"ctrl+l"}, "print the last screen again"},
		{EditQueue, []string{"alt+up"}, "put waiting messages back into the line"},
		{Image, []string{"ctrl+v"}, "add the image in the clipboard to the message"},
		{Approve, []string{"ctrl+x y"}, "approve the request once"}, {Deny, []string{"ctrl+x n"}, "deny the request"},
		{Suspend, []string{"ctrl+z"}, "back to the shell; fg comes back"},
		{UndoTyping, []string{"ctrl+_", "ctrl+/"}, "undo in the line"},
		{RedoTyping, []string{"alt+_", "alt+/"}, ""},
		{Left, []string{"left"}, ""}, {Right, []string{"right", "ctrl+f"}, ""},
		{WordLeft, []string{"alt+left", "ctrl+left", "alt+b"}, ""}, {WordRight, []string{"alt+right", "ctrl+right", "alt+f"}, ""},
		{Up, []string{"up", "ctrl+p"}, ""}, {Down, []string{"down", "ctrl+n"}, ""},
		{LineStart, []string{"home", "ctrl+a"}, ""}, {LineEnd, []string{"end", "ctrl+e"}, ""},
		{Backspace, []string{"backspace", "ctrl+h", "shift+backspace"}, ""}, {Delete, []string{"delete"}, ""},
		{KillWord, []string{"ctrl+w", "alt+backspace", "ctrl+backspace"}, "remove the word before the cursor"},
		{KillWordRight, []string{"alt+d", "alt+delete"}, ""},
		{KillStart, []string{"ctrl+u"}, "remove to the start of the line"},
		{KillEnd, []string{"ctrl+k"}, "remove to its end"},
		{Yank, []string{"ctrl+y"}, "put back what was removed"}, {YankPop, []string{"alt+y"}, ""},
	})
}

func newMap(all []Binding) Keys {
	k := Keys{all, map[string]Action{}}
	for _, b := range all {
		for _, key := range b.Keys {
			k.byKey[key] = b.Action
		}
	}
	return k
}

// Of returns the action of a key, as the terminal names it; "" is none.
func (k Keys) Of(key string) Action { return k.byKey[key] }

// Begins reports whether a key is the first one of a chord. Such a key does nothing by itself.
func (k Keys) Begins(key string) bool {
	for bound := range k.byKey {
		if first, _, ok := strings.Cut(bound, " "); ok && first == key {
			return true
		}
	}
	return false
}

// With returns the map in which actions have other keys: a list between commas, "" for none. A chord is two keys with a
// blank between them. What cannot be bound is left out, and the error names all of it.
func (k Keys) With(own map[string]string) (Keys, error) {
	all := slices.Clone(k.Bindings)
	var wrong []string
	for _, name := range slices.Sorted(maps.Keys(own)) {
		with, err := bound(all, name, own[name])
		for _, b := range with {
			if _, named := own[string(b.Action)]; !named && len(b.Keys) == 0 && slices.Contains([]Action{Send, Close, Clear, Quit}, b.Action) {
				err = fmt.Errorf("%q cannot have the key %q: it is the one of %q, which needs another one first", name, own[name], b.Action)
			}
		}
		if err != nil {
			wrong = append(wrong, err.Error())
			continue
		}
		all = with
	}
	if len(wrong) > 0 {
		return newMap(all), errors.New(strings.Join(wrong, "; "))
	}
	return newMap(all), nil
}

// bound returns the bindings with the keys of one action, which others lose.
func bound(all []Binding, name, keys string) ([]Binding, error) {
	all = slices.Clone(all)
	i := slices.IndexFunc(all, func(b Binding) bool { return string(b.Action) == name })
	if i < 0 {
		return nil, fmt.Errorf("no key can be bound to %q: there is no such action", name)
	}
	all[i].Keys = nil
	for _, key := range strings.Split(keys, ",") {
		key = strings.Join(strings.Fields(strings.ToLower(key)), " ")
		if strings.Count(key, " ") > 1 {
			return nil, fmt.Errorf("%q cannot be bound: a chord has two keys", key)
		}
		if key != "" {
			all[i].Keys = append(all[i].Keys, key)
		}
	}
	for j := range all {
		if j != i {
			all[j].Keys = slices.DeleteFunc(slices.Clone(all[j].Keys), func(key string) bool {
				return slices.ContainsFunc(all[i].Keys, func(own string) bool {
					return own == key || strings.HasPrefix(key, own+" ") || strings.HasPrefix(own, key+" ")
				})
			})
		}
	}
	return all, nil
}

// Shown returns the first key of an action as people write it: "Ctrl+O".
func (k Keys) Shown(a Action) string {
	for _, b := range k.Bindings {
		if b.Action == a && len(b.Keys) > 0 {
			return KeyWords(b.Keys[0])
		}
	}
	return ""
}

// KeyWords writes a key as people do: "Ctrl+O".
func KeyWords(key string) string {
	switch key {
	case "alt+esc":
		return "Esc Esc"
	case "delete":
		return "Del"
	}
	if first, second, ok := strings.Cut(key, " "); ok {
		return KeyWords(first) + " " + KeyWords(second)
	}
	parts := strings.Split(key, "+")
	for i, p := range parts {
		if p != "" {
			parts[i] = strings.ToUpper(p[:1]) + p[1:]
		}
	}
	return strings.Join(parts, "+")
}
