package harness

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"sync"
	"time"

	"rein/app/extend"
	"rein/app/settings"
	"rein/event"
	"rein/guard"
	"rein/journal"
	"rein/kit/sandbox"
)

// Terms returns the terms of a new session: the options, then the settings, then the defaults. Model is "" where Start has to find one.
func (h *Harness) Terms() (event.Terms, error) { return h.terms(NewSession{}, event.Terms{}) }

// terms lays the terms of a session on each other. Nothing loosens by itself: what was recorded comes before what the settings say now, and only
// what the user names comes before it. A looser mode that the user names when a session is resumed holds for that run.
func (h *Harness) terms(n NewSession, recorded event.Terms) (t event.Terms, err error) {
	recorded.Mode, recorded.Kept = cmp.Or(recorded.Kept, recorded.Mode), ""
	options := h.options.Terms
	if h.options.ForNew {
		options.Model, options.Mode = cmp.Or(recorded.Model, options.Model), cmp.Or(recorded.Mode, options.Mode)
		options.Sandbox = stricterSandbox(recorded.Sandbox, options.Sandbox)
	}
	options.MCPConfig = extend.Sums(h.options.MCPConfig)
	t = layTerms(event.Terms{Model: n.ModelName, Mode: n.Mode}, options, recorded, settingsTerms(h.settings), event.Terms{Mode: guard.Supervised.String()})
	t.Dir = h.root
	mode, err := settings.Mode(t.Mode)
	t.Mode = mode.String()
	if recorded.Mode != "" && mode > modeOf(recorded) {
		t.Kept = recorded.Mode
	}
	return t, errors.Join(usageError(err), usageError(settings.CheckSandbox(t.Sandbox)))
}

// stricterSandbox is the stricter of a mode of the sandbox that is recorded and one that is named; "" is none. A wrong name stays, and is refused.
func stricterSandbox(recorded, named string) string {
	if settings.CheckSandbox(named) != nil {
		return named
	}
	for _, mode := range []sandbox.Mode{sandbox.Required, sandbox.Auto, sandbox.Off} {
		if recorded == string(mode) || named == string(mode) {
			return string(mode)
		}
	}
	return ""
}

// settingsTerms are the terms that the settings name.
func settingsTerms(s settings.Settings) event.Terms {
	return event.Terms{Model: s.Model, Mode: s.Mode, Dialect: s.Dialect, Effort: s.Effort, Think: s.ThinkFirst, Sandbox: s.Sandbox, MaxTurns: s.MaxTurns, Budget: s.Budget,
		MaxUSD: s.Limits.Message.USD, MaxTime: time.Duration(s.Limits.Message.Time), Fallback: s.FallbackModels, Offer: s.Tools}
}

// layTerms takes each field from the first layer that sets it.
func layTerms(layers ...event.Terms) (t event.Terms) {
	to := reflect.ValueOf(&t).Elem()
	for i := range to.NumField() {
		for _, l := range layers {
			if f := reflect.ValueOf(l).Field(i); !f.IsZero() && (f.Kind() != reflect.Slice || f.Len() > 0) {
				to.Field(i).Set(f)
				break
			}
		}
	}
	return t
}

// Recorded returns the terms of a recorded session as they were last. sessions is the directory of all sessions.
func Recorded(sessions, id string) (event.Terms, error) {
	dir, err := journal.Dir(sessions, id)
	if err != nil {
		return event.Terms{}, inputError(err)
	}
	name := filepath.Join(dir, journal.FileName)
	if _, err := os.Stat(name); err != nil {
		return event.Terms{}, inputError(errors.Join(journal.ErrNoSession, err))
	}
	last, err := lastStart(name)
	if err == nil && last.Dir == "" { // nothing is recorded yet
		last, err = lastStart(filepath.Join(dir, journal.UnsentName))
		if errors.Is(err, os.ErrNotExist) {
			err = nil
		}
	}
	if err != nil {
		return event.Terms{}, inputError(fmt.Errorf("%s: %w", name, err))
	}
	return last.Terms, nil
}

// conditions are the terms under which a session runs now. Only the user changes them while it runs: no model and no resumed journal can.
type conditions struct {
	changing sync.Mutex // held by who changes the terms, also while that is recorded
	mu       sync.Mutex // guards terms. Nothing is recorded while it is held: who sees an event may read them
	terms    event.Terms
	layers   []settings.Layer
	above    *conditions // in a copy of the workspace: those that hold; nil: these
}

func (c *conditions) now() event.Terms {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.terms
}

func (c *conditions) set(t event.Terms) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.terms = t
}

// policy is the mode of the session, and the epoch under which approvals count: an approval that was given under another mode or other rules is void.
func (c *conditions) policy() (guard.Mode, string) {
	if c.above != nil {
		return c.above.policy()
	}
	t := c.now()
	mode := modeOf(t)
	h := sha256.New()
	fmt.Fprintln(h, mode, t.Allow, t.Ask, t.Deny, t.Only, t.Sandbox)
	for _, l := range c.layers {
		fmt.Fprintln(h, l.Name, string(l.Permissions))
	}
	return mode, hex.EncodeToString(h.Sum(nil)[:8])
}

func (c *conditions) mode() guard.Mode {
	if c.above != nil {
		return c.above.mode()
	}
	return modeOf(c.now())
}

// readOnly reports whether the mode lets commands change nothing: the sandbox shows them a read-only workspace then.
func (c *conditions) readOnly() bool { return c.mode() <= guard.Plan }

// modeOf reads the mode of terms. One that cannot be read is read-only.
func modeOf(t event.Terms) guard.Mode {
	mode, _ := guard.ParseMode(t.Mode)
	return mode
}
