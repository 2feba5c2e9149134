package settings

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Terminal is how the chat looks and reacts on a terminal.
type Terminal struct {
	Theme    string            `json:"theme,omitempty"`    // auto, dark, light, none
	Language string            `json:"language,omitempty"` // auto, en, zh
	Colours  map[string]string `json:"colours,omitempty"`  // of a role, as "#rrggbb"
	Keys     map[string]string `json:"keys,omitempty"`     // of an action: keys between commas
	ASCII    bool              `json:"ascii,omitempty"`    // marks of ASCII characters alone
	Images   string            `json:"images,omitempty"`   // auto, kitty, iterm2, sixel, none
	Vi       bool              `json:"vi,omitempty"`       // the line has vi's normal mode: Esc
	Notify   string            `json:"notify,omitempty"`   // a user who looks elsewhere: auto, bell, osc9, osc99, osc777, off
}

// check finds a word that no setting knows.
func (t Terminal) check() error {
	for _, f := range []struct{ key, value, known string }{{"theme", t.Theme, "auto, dark, light, none"}, {"language", t.Language, "auto, en, zh"},
		{"images", t.Images, "auto, kitty, iterm2, sixel, none"},
		{"notify", t.Notify, "auto, bell, osc9, osc99, osc777, off"}} {
		if f.value != "" && !slices.Contains(strings.Split(f.known, ", "), f.value) {
			return fmt.Errorf("terminal.%s: there is no %q (expected one of %s)", f.key, f.value, f.known)
		}
	}
	return nil
}

// StatusLine is a command whose output is shown in the status line of the chat, as other programs have it too.
type StatusLine struct {
	Type    string   `json:"type,omitempty"`    // "command"
	Command string   `json:"command,omitempty"` // for bash; it gets the state of the session as JSON
	Padding int      `json:"padding,omitempty"` // blanks in front
	Timeout Duration `json:"timeout,omitempty"` // of one run; 5 s
	Sandbox string   `json:"sandbox,omitempty"` // "off": it runs without isolation
}

// Time is how long one run may take.
func (s StatusLine) Time() time.Duration { return cmp.Or(time.Duration(s.Timeout), 5*time.Second) }
