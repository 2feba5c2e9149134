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
// the limits of pace.
func (w *wired) openGuards(tools tool.Set, warn func(string)) error {
	dirs := w.workspace.Dirs()
	g, warnings, err := newGuards(dirs[0], dirs[1:], w.dirs, w.mask, w.knownHost, w.isolation.box, tools.Names(), w.places)
	if err != nil {
		return err
	}
	given, more, err := w.options.rules(dirs[0])
	if err != nil {
		return coded{exitUsage, err}
	}
	g.rules.List = append(g.rules.List, given...)
	for _, line := range append(warnings, append(more, guard.Lint(given, tools.Names())...)...) {
		warn(line.String())
	}
	g.all.Guards = append(g.all.Guards, rateOf(w.settings.Limits))
	g.all.OnPanic = w.guardPanicked
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

// rateOf makes the guard of pace; without limits it says nothing.
func rateOf(l settings.Limits) *guard.Rate {
	r := &guard.Rate{PerHour: l.CallsPerHour, PerSession: l.CallsPerSession, PerTool: map[string]int{}}
	for name, t := range l.Tools {
		r.PerTool[name] = t.CallsPerHour
	}
	return r
}

// guardPanicked tells the operator that a check broke down; the call is asked about.
func (w *wired) guardPanicked(c guard.Case, text string) {
	if w.log != nil {
		w.log.Error("a guard panicked", slog.String("tool", c.Call.Name), slog.String("call", c.Call.ID), slog.String("text", text))
	}
	w.append(event.Event{Kind: event.Audit, Time: time.Now(), Session: w.session, Text: "a check of this call broke down",
		Call: &tool.Call{ID: c.Call.ID, Name: c.Call.Name}})
}

// knownHost reports whether the user's settings let a host be reached.
func (w *wired) knownHost(host string) bool {
	name, port := splitHost(host)
	t, err := netpolicy.ParseTarget(name, port)
	return err == nil && w.access.knows(t)
}

// note tells a model that goes in circles.
func (w *wired) note(c guard.Case, r tool.Result) string {
	return w.guards.repetition.Ran(c, r.Text)
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
