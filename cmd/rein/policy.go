package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"rein/harness/settings"
	"time"

	"rein/event"
	"rein/guard"
	"rein/netpolicy"
	"rein/tool"
)

// openGuards puts the guards together: those of this workspace, the rules of all layers and of the command line, and
// the rate limits.
func (w *wired) openGuards(tools tool.Set, warn func(string)) error {
	dirs := w.workspace.Dirs()
	given, more, err := w.options.rules(dirs[0])
	if err != nil {
		return coded{exitUsage, err}
	}
	g, warnings, err := newGuards(dirs[0], dirs[1:], w.dirs, tools.Names(), guard.StandardOptions{
		Here: guard.Here{Opened: w.places}, KnownHost: w.knownHost, Mask: w.mask, Unsaved: unsavedFiles(w.isolation.box),
		Rules: given, Rate: rateOf(w.settings.Limits), OnPanic: w.guardPanicked,
	})
	if err != nil {
		return err
	}
	for _, line := range append(warnings, append(more, guard.Lint(given, tools.Names())...)...) {
		warn(line.String())
	}
	w.guards = g
	return nil
}

// rules reads the rules of the command line as if they stood in a settings file.
func (o *options) rules(root string) ([]guard.Rule, []guard.Warning, error) {
	if len(o.allow)+len(o.ask)+len(o.deny) == 0 {
		return nil, nil, nil
	}
	text, err := json.Marshal(map[string]any{"permissions": map[string][]string{"allow": orEmpty(o.allow), "ask": orEmpty(o.ask), "deny": orEmpty(o.deny)}})
	if err != nil {
		return nil, nil, err
	}
	return guard.ParseRules(guard.CommandLine, "command line", root, text)
}

// rateOf is the guard of the rate limits; without limits it allows all.
func rateOf(l settings.Limits) *guard.Rate {
	r := &guard.Rate{PerHour: l.CallsPerHour, PerSession: l.CallsPerSession, PerTool: map[string]int{}}
	for name, t := range l.Tools {
		r.PerTool[name] = t.CallsPerHour
	}
	return r
}

// guardPanicked reports to the operator that a check failed; the call needs an approval.
func (w *wired) guardPanicked(c guard.Case, text string) {
	if w.log != nil {
		w.log.Error("a guard panicked", slog.String("tool", c.Call.Name), slog.String("call", c.Call.ID), slog.String("text", text))
	}
	w.append(event.Event{Kind: event.Audit, Time: time.Now(), Session: w.session, Text: "a check of this call failed with an internal error",
		Call: &tool.Call{ID: c.Call.ID, Name: c.Call.Name}})
}

// knownHost reports whether the user's settings let a host be reached.
func (w *wired) knownHost(host string) bool {
	name, port := splitHost(host)
	t, err := netpolicy.ParseTarget(name, port)
	return err == nil && w.access.knows(t)
}

// epoch names the mode and the rules: a yes under other ones is void.
func (w *wired) epoch(mode guard.Mode) string {
	h := sha256.New()
	fmt.Fprintln(h, mode, w.options.allow, w.options.ask, w.options.deny, w.options.sandbox, w.settings.Sandbox)
	for _, l := range w.layers {
		fmt.Fprintln(h, l.Name, string(l.Permissions))
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// placeOf is the identity of a directory, so that a yes is void when another one stands under its name.
func placeOf(dir string) string {
	info, err := os.Stat(dir)
	if err != nil {
		return ""
	}
	return settings.FileID(info)
}
