package providers

import (
	"context"
	"errors"
	"iter"
	"time"

	"rein/model"
)

// State is the outcome of a check.
type State string

// The outcomes.
const (
	ProbeWorks   State = "works"
	ProbeMissing State = "missing" // the endpoint answered, but the feature was not in the answer
	ProbeFailed  State = "failed"  // the request failed, or the answer was wrong in a way that no model causes
	probeSkipped State = "skipped" // nothing was sent
)

// ProbeCheck is the outcome of one check.
type ProbeCheck struct {
	Name     string        `json:"name"` // "text", "call", "parallel", "thinking", "image", "cut"
	State    State         `json:"state"`
	Detail   string        `json:"detail,omitempty"` // what was seen; may quote the model
	Notes    []string      `json:"notes,omitempty"`  // what was changed of the requests, and retries
	Requests int           `json:"requests"`
	Time     time.Duration `json:"time_ns"` // of all requests of the check
	Usage    model.Usage   `json:"usage"`   // of all requests of the check
}

// ProbeTimeout bounds each check.
const ProbeTimeout = 2 * time.Minute

// ProbeOptions of a series. Nil means the defaults.
type ProbeOptions struct {
	Timeout time.Duration // of each check; 0: ProbeTimeout
}

// Probe sends a short series of requests (text, a call, parallel calls, thinking, an image, an answer that is cut) and yields each check when it ends. When the first request fails, the others are skipped: they
// would fail for the same reason.
func Probe(ctx context.Context, m model.Model, o *ProbeOptions) iter.Seq[ProbeCheck] {
	timeout := ProbeTimeout
	if o != nil && o.Timeout > 0 {
		timeout = o.Timeout
	}
	return func(yield func(ProbeCheck) bool) {
		reached := true
		for i, s := range series() {
			c := ProbeCheck{Name: s.name}
			switch {
			case !reached:
				c.State, c.Detail = probeSkipped, "the first request failed"
			case s.skip != nil && s.skip(m.Info()) != "":
				c.State, c.Detail = probeSkipped, s.skip(m.Info())
			default:
				s.check(ctx, m, timeout, &c)
			}
			if i == 0 {
				reached = c.State != ProbeFailed
			}
			if !yield(c) {
				return
			}
		}
	}
}

// step is one check of the series.
type step struct {
	name string
	skip func(model.Info) string // why the model is not asked; "": it is
	run  func(context.Context, *asking) (State, string, error)
}

func (s step) check(ctx context.Context, m model.Model, timeout time.Duration, c *ProbeCheck) {
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, errors.New("no answer after "+timeout.String()))
	defer cancel()
	began := time.Now()
	var err error
	c.State, c.Detail, err = s.run(ctx, &asking{model: m, check: c})
	c.Time = time.Since(began)
	if err != nil {
		c.State, c.Detail = ProbeFailed, err.Error()
	}
}

// asking sends the requests of one check.
type asking struct {
	model model.Model
	check *ProbeCheck
	shown bool // probeThinking came as text
}

// ask sends a request and returns the last chunk.
func (a *asking) ask(ctx context.Context, r *model.Request) (model.Chunk, error) {
	a.check.Requests++
	for c, err := range a.model.Stream(ctx, r) {
		if err != nil {
			return model.Chunk{}, err
		}
		switch c.Kind {
		case model.Notice:
			a.check.Notes = append(a.check.Notes, c.Text)
		case model.Restart:
			a.check.Notes = append(a.check.Notes, c.Text)
			a.shown = false
		case model.ThinkingChunk:
			a.shown = a.shown || c.Text != ""
		case model.Done:
			a.check.Usage = a.check.Usage.Plus(c.Usage)
			return c, nil
		}
	}
	return model.Chunk{}, errors.New("the stream ended without a last chunk")
}
