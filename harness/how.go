package harness

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"rein/event"
	"rein/harness/settings"
	"rein/harness/trust"
	"rein/journal"
)

// How is how a session runs: what was chosen for it. It is recorded, and a resumed session keeps it.
type How struct {
	Dir      string   // the workspace
	AddDirs  []string // further directories
	Model    string   // provider/name; "" when the first one that is found was taken
	Dialect  string
	Effort   string
	Think    bool // the model writes down what it will do before it acts on a message
	Mode     string
	Before   string   // in plan mode: the mode that the session goes back to; "": that of the settings
	Allow    []string // rules of the command line
	Ask      []string
	Deny     []string
	Sandbox  string
	MaxTurns int
	Budget   int64
	MaxUSD   float64  // US dollars for one message
	MaxTime  Duration // for one message
	Fallback []string // models that take over when Model fails, as provider/name
	Tools    []string // the tools on offer, as the setting tools; none: all

	MCPConfig []string // files with tool servers, as event.Start has them
	StrictMCP bool     // only the tool servers of these files
}

// How returns how a new session runs: the options, then the settings, then the defaults. Model is "" where Start has to find one.
func (h *Harness) How() (How, error) { return h.how(How{}) }

// howResumed returns how a resumed session runs: the options, then what was recorded, then the settings.
func (h *Harness) howResumed(recorded event.Start) (How, error) {
	return h.how(How{
		AddDirs: recorded.AddDirs, Model: recorded.Model, Dialect: recorded.Dialect, Effort: recorded.Effort, Think: recorded.Think, Mode: recorded.Mode, Before: recorded.Before,
		Allow: recorded.Allow, Ask: recorded.Ask, Deny: recorded.Deny, Sandbox: recorded.Sandbox, MaxTurns: recorded.MaxTurns, Budget: recorded.Budget, MaxUSD: recorded.MaxUSD, MaxTime: Duration(recorded.MaxTime), Fallback: recorded.Fallback, Tools: recorded.Offer,
		MCPConfig: recorded.MCPConfig, StrictMCP: recorded.StrictMCP,
	})
}

func (h *Harness) how(recorded How) (How, error) {
	o, set := h.options, h.settings
	mode, err := h.mode(recorded.Mode)
	how := How{
		Dir: h.root, AddDirs: firstList(o.AddDirs, recorded.AddDirs), Mode: mode.String(), Before: recorded.Before,
		Model:   cmp.Or(o.Model, recorded.Model, set.Model),
		Dialect: cmp.Or(o.Dialect, recorded.Dialect, set.Dialect),
		Effort:  cmp.Or(o.Effort, recorded.Effort, set.Effort),
		Think:   o.ThinkFirst || recorded.Think || set.ThinkFirst,
		Allow:   firstList(o.Allow, recorded.Allow), Ask: firstList(o.Ask, recorded.Ask), Deny: firstList(o.Deny, recorded.Deny),
		Sandbox:  cmp.Or(o.Sandbox, recorded.Sandbox, set.Sandbox),
		MaxTurns: firstNumber(o.MaxTurns, recorded.MaxTurns, set.MaxTurns),
		Budget:   firstNumber(o.Budget, recorded.Budget, set.Budget),
		MaxUSD:   cmp.Or(o.MaxUSD, recorded.MaxUSD, set.Limits.Message.USD),
		MaxTime:  cmp.Or(o.MaxTime, recorded.MaxTime, set.Limits.Message.Time),
		Fallback: firstList(o.Fallback, recorded.Fallback, set.FallbackModels),
		Tools:    firstList(o.Tools, recorded.Tools, set.Tools),
	}
	how.MCPConfig, how.StrictMCP = recorded.MCPConfig, o.StrictMCP || recorded.StrictMCP
	if len(o.MCPConfig) > 0 {
		how.MCPConfig = trust.Sums(o.MCPConfig)
	}
	return how, errors.Join(err, usageError(settings.CheckSandbox(how.Sandbox)))
}

// start is how as the journal records it.
func (w How) start() event.Start {
	return event.Start{Model: w.Model, Mode: w.Mode, Before: w.Before, Dir: w.Dir, AddDirs: w.AddDirs, Dialect: w.Dialect, Effort: w.Effort, Think: w.Think,
		Allow: w.Allow, Ask: w.Ask, Deny: w.Deny, Sandbox: w.Sandbox, MaxTurns: w.MaxTurns, Budget: w.Budget, MaxUSD: w.MaxUSD, MaxTime: time.Duration(w.MaxTime), Fallback: w.Fallback, Offer: w.Tools,
		MCPConfig: w.MCPConfig, StrictMCP: w.StrictMCP}
}

func firstList(lists ...[]string) []string {
	for _, l := range lists {
		if len(l) > 0 {
			return l
		}
	}
	return nil
}

func firstNumber[T int | int64](numbers ...T) T {
	for _, n := range numbers {
		if n != 0 {
			return n
		}
	}
	return 0
}

// Recorded returns how a recorded session ran last. sessions is the directory of all sessions.
func Recorded(sessions, id string) (event.Start, error) {
	name, err := journalFile(sessions, id)
	if err != nil {
		return event.Start{}, err
	}
	return recordedHow(name)
}

// recordedHow reads the last start of a journal.
func recordedHow(name string) (event.Start, error) {
	last, err := journal.LastStart(name)
	if err != nil {
		return last, inputError(fmt.Errorf("%s: %w", name, err))
	}
	return last, nil
}

// journalFile returns the journal of a session that exists.
func journalFile(sessions, id string) (string, error) {
	dir, err := journal.Dir(sessions, id)
	if err != nil {
		return "", inputError(err)
	}
	name := filepath.Join(dir, journal.FileName)
	if _, err := os.Stat(name); err != nil {
		return "", inputError(errors.Join(journal.ErrNoSession, err))
	}
	return name, nil
}
