package tui

import (
	"fmt"
	"slices"
	"strings"
)

// action is what a key does.
type action string

// The actions that keys are bound to. Letters always go to the line.
const (
	actSend      action = "send"
	actQueue     action = "queue"
	actNewline   action = "newline"
	actClose     action = "close"
	actRewind    action = "rewind"
	actInterrupt action = "clear"
	actQuit      action = "quit"
	actMode      action = "mode"
	actOpen      action = "open"
	actPlan      action = "todos"
	actHistory   action = "history"
	actEditor    action = "editor"
	actRedraw    action = "redraw"
	actSuspend   action = "suspend"
	actTab       action = "complete"
	actEditQueue action = "edit-queue"
	actUndo      action = "undo-typing"
	actRedo      action = "redo-typing"

	actLeft, actRight             action = "left", "right"
	actWordLeft, actWordRight     action = "word-left", "word-right"
	actUp, actDown                action = "up", "down"
	actLineStart, actLineEnd      action = "line-start", "line-end"
	actBackspace, actDelete       action = "backspace", "delete"
	actKillWord, actKillWordRight action = "kill-word", "kill-word-right"
	actKillStart, actKillEnd      action = "kill-to-start", "kill-to-end"
	actYank, actYankPop           action = "yank", "yank-pop"
)

// binding is an action with its keys and what it does in words; no words: it is not in the help.
type binding struct {
	action action
	keys   []string
	help   string
}

// keymap gives the action of a key.
type keymap struct {
	bindings []binding
	byKey    map[string]action
}

// defaultKeys are the keys as they are without settings.
func defaultKeys() keymap {
	return newKeymap([]binding{
		{actSend, []string{"enter"}, "send; while the model works: with its next request"},
		{actQueue, []string{"alt+enter"}, "while the model works: after its answer; else a new line"},
		{actNewline, []string{"shift+enter", "ctrl+j"}, "new line; also \\ Enter"},
		{actClose, []string{"esc"}, "close what is open, then interrupt"},
		{actRewind, []string{"alt+esc"}, "clear the line; on the empty line: go back to before a message"},
		{actInterrupt, []string{"ctrl+c"}, "clear the line, then interrupt; twice: leave"},
		{actQuit, []string{"ctrl+d"}, "leave, on the empty line"},
		{actMode, []string{"shift+tab"}, "next mode"},
		{actTab, []string{"tab"}, "complete; with a question: go to it"},
		{actOpen, []string{"ctrl+o"}, "open the last results"},
		{actPlan, []string{"ctrl+t"}, "show or hide the plan"},
		{actHistory, []string{"ctrl+r"}, "search what you wrote before"},
		{actEditor, []string{"ctrl+g"}, "write in your editor"},
		{actRedraw, []string{"ctrl+l"}, "print the last screen again"},
		{actEditQueue, []string{"alt+up"}, "take waiting messages back into the line"},
		{actSuspend, []string{"ctrl+z"}, "back to the shell; fg comes back"},
		{actUndo, []string{"ctrl+_", "ctrl+/"}, "undo in the line"},
		{actRedo, []string{"alt+_", "alt+/"}, ""},
		{actLeft, []string{"left", "ctrl+b"}, ""}, {actRight, []string{"right", "ctrl+f"}, ""},
		{actWordLeft, []string{"alt+left", "ctrl+left", "alt+b"}, ""}, {actWordRight, []string{"alt+right", "ctrl+right", "alt+f"}, ""},
		{actUp, []string{"up", "ctrl+p"}, ""}, {actDown, []string{"down", "ctrl+n"}, ""},
		{actLineStart, []string{"home", "ctrl+a"}, ""}, {actLineEnd, []string{"end", "ctrl+e"}, ""},
		{actBackspace, []string{"backspace", "ctrl+h", "shift+backspace"}, ""}, {actDelete, []string{"delete"}, ""},
		{actKillWord, []string{"ctrl+w", "alt+backspace", "ctrl+backspace"}, "remove the word before the cursor"},
		{actKillWordRight, []string{"alt+d", "alt+delete"}, ""},
		{actKillStart, []string{"ctrl+u"}, "remove to the start of the line"},
		{actKillEnd, []string{"ctrl+k"}, "remove to its end"},
		{actYank, []string{"ctrl+y"}, "put back what was removed"}, {actYankPop, []string{"alt+y"}, ""},
	})
}

func newKeymap(all []binding) keymap {
	k := keymap{all, map[string]action{}}
	for _, b := range all {
		for _, key := range b.keys {
			k.byKey[key] = b.action
		}
	}
	return k
}

// with gives the keymap in which actions have other keys: a list between commas, "" for none.
func (k keymap) with(own map[string]string) (keymap, error) {
	all := slices.Clone(k.bindings)
	for name, keys := range own {
		i := slices.IndexFunc(all, func(b binding) bool { return string(b.action) == name })
		if i < 0 {
			return k, fmt.Errorf("no key can be bound to %q: there is no such action", name)
		}
		all[i].keys = nil
		for _, key := range strings.Split(keys, ",") {
			if key = strings.ToLower(strings.TrimSpace(key)); key != "" {
				all[i].keys = append(all[i].keys, key)
			}
		}
		for j := range all {
			if j != i {
				all[j].keys = slices.DeleteFunc(slices.Clone(all[j].keys), func(key string) bool { return slices.Contains(all[i].keys, key) })
			}
		}
	}
	return newKeymap(all), nil
}

// shown gives the first key of an action as people write it: "Ctrl+O".
func (k keymap) shown(a action) string {
	for _, b := range k.bindings {
		if b.action == a && len(b.keys) > 0 {
			return keyWords(b.keys[0])
		}
	}
	return ""
}

func keyWords(key string) string {
	if key == "alt+esc" {
		return "Esc Esc"
	}
	parts := strings.Split(key, "+")
	for i, p := range parts {
		if p != "" {
			parts[i] = strings.ToUpper(p[:1]) + p[1:]
		}
	}
	return strings.Join(parts, "+")
}
