package eval

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"rein/app/harness"
	"rein/app/settings"
	"rein/event"
	"rein/kit/providers"
	"rein/kit/script"
	"rein/model"
)

// Options say how cases are run. Cases and Dirs must be set.
type Options struct {
	Cases  []*Case
	Config Config
	Runs   int // attempts at each case; 0: 1

	Parallel int    // attempts at once; 0: 4
	Out      string // directory for the sessions of attempts, as a REIN_HOME has them; "": they are deleted
	Cache    string // directory of attempts that were made, also by runs that were stopped: equal ones are not made again; "": all are made
	Work     string // directory for the copies; "": that of the system for temporary files
	Keep     bool   // the copies stay

	// Limits of the whole; 0: none. Each attempt gets its part of what is left: as many parts as attempts run at once. An attempt that its part
	// ends does not count, and no other one begins then. Only the last request of an attempt can pass its part.
	USD    float64
	Tokens int64
	Time   time.Duration

	Dirs    settings.Dirs                // of the user; only the settings of it are used
	Models  map[string]model.Model       // by provider/name: they come before those of the providers
	Model   func(*Case, int) model.Model // for an attempt of a case, in place of all others; nil, or a nil answer: as usual
	Program string                       // path of the rein program
	Version string                       // of the program
	Warn    func(string)                 // nil drops warnings
	Done    func(*Attempt)               // sees each attempt that began or was made before, one at a time; nil: nobody looks
}

// runner makes attempts.
type runner struct {
	Options
	settings settings.Settings
	ids      atomic.Int64 // of commands

	mu      sync.Mutex
	warned  map[string]bool
	opened  map[string]model.Model
	spent   spending
	held    spending // by attempts that run
	running int
	over    bool // an attempt was ended by its part
}

// spending is what was spent, or may be.
type spending struct {
	usd    float64
	tokens int64
}

func (s spending) plus(t spending) spending  { return spending{s.usd + t.usd, s.tokens + t.tokens} }
func (s spending) minus(t spending) spending { return spending{s.usd - t.usd, s.tokens - t.tokens} }

func spentBy(u event.Usage) spending { return spending{u.Cost, u.Input + u.Output} }

// Run makes all attempts. When ctx is done, the attempts that were not made are Skipped. An error means that nothing could be run.
func Run(ctx context.Context, o Options) (*Results, error) {
	o.Runs, o.Parallel = max(o.Runs, 1), cmp.Or(o.Parallel, 4)
	if o.Warn == nil {
		o.Warn = func(string) {}
	}
	if o.Config.Settings != "" {
		o.Dirs.Config = o.Config.Settings
	}
	r := &runner{Options: o, opened: map[string]model.Model{}, warned: map[string]bool{}}
	if err := r.readSettings(); err != nil {
		return nil, err
	}
	if o.Config.Model != "" && o.Model == nil {
		if _, err := r.open(ctx, o.Config.Model); err != nil { // once, before all attempts fail for it
			return nil, err
		}
	}
	if o.Time > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.Time)
		defer cancel()
	}
	began := time.Now()
	all := r.all(ctx)
	if o.USD > 0 && r.spent.usd == 0 && r.spent.tokens > 0 {
		o.Warn("no price of the models is known, so the limit in US dollars did not hold")
	}
	res := &Results{Format: format, Config: o.Config, Version: o.Version, Began: began, Seconds: time.Since(began).Seconds(), Runs: o.Runs, Attempts: all}
	for _, c := range o.Cases {
		res.Cases = append(res.Cases, CaseInfo{Name: c.Name, About: c.About, Tags: c.Tags, File: c.file, Line: c.line})
	}
	return res, nil
}

// readSettings reads the settings.
func (r *runner) readSettings() error {
	dir, err := os.MkdirTemp(r.Work, "rein-eval-")
	if err != nil {
		return err
	}
	defer os.Remove(dir)
	layers, warnings, err := settings.Load(r.Dirs, dir)
	if err != nil {
		return err
	}
	for _, line := range warnings {
		r.Warn(line)
	}
	r.settings = settings.Merge(layers)
	if r.Out != "" {
		if r.Out, err = filepath.Abs(r.Out); err != nil {
			return err
		}
	}
	return nil
}

// all makes the attempts: the first ones of all cases, then the second ones.
func (r *runner) all(ctx context.Context) []*Attempt {
	all := make([]*Attempt, r.Runs*len(r.Cases))
	var next atomic.Int64
	var workers sync.WaitGroup
	var telling sync.Mutex
	for range min(r.Parallel, len(all)) {
		workers.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(all) {
					return
				}
				var made bool
				all[i], made = r.cached(ctx, r.Cases[i%len(r.Cases)], i/len(r.Cases)+1)
				if made && r.Done != nil {
					telling.Lock()
					r.Done(all[i])
					telling.Unlock()
				}
			}
		})
	}
	workers.Wait()
	slices.SortStableFunc(all, func(a, b *Attempt) int { return r.place(a.Case) - r.place(b.Case) })
	return all
}

func (r *runner) place(name string) int {
	return slices.IndexFunc(r.Cases, func(c *Case) bool { return c.Name == name })
}

// cached returns an attempt that was made before, or makes it within its part of the limits. made is false where it may not begin.
func (r *runner) cached(ctx context.Context, c *Case, n int) (a *Attempt, made bool) {
	key := r.key(c, n)
	if a := r.load(key); a != nil {
		return a, true
	}
	part, ok := r.hold()
	if !ok || ctx.Err() != nil {
		r.release(part, spending{})
		a = &Attempt{Case: c.Name, Number: n, Status: Skipped, Error: "the budget of the whole is used up"}
		if ctx.Err() != nil {
			a.Error = "the run was stopped"
		}
		return a, false
	}
	a = r.attempt(ctx, c, n, part)
	r.release(part, spentBy(a.Usage).plus(spentBy(a.Judges)))
	switch own := smaller(c.Limits, r.Config.Limits); {
	case a.Stop != event.Budget:
	case cutShort(own, part):
		a.Status, a.Error = Skipped, "the budget of the whole ended it"
		r.mu.Lock()
		r.over = true
		r.mu.Unlock()
	case own.Tokens == 0 && own.USD == 0 && own.Time == 0 && !c.checksStop():
		a.Status, a.Error = Errored, "a limit of the settings, or 10 minutes, ended it"
	}
	r.store(key, a)
	return a, true
}

// hold takes the part of what is left that the next attempt may spend.
func (r *runner) hold() (part spending, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	left, free := spending{r.USD, r.Tokens}.minus(r.spent).minus(r.held), max(r.Parallel-r.running, 1)
	part = spending{left.usd / float64(free), left.tokens / int64(free)}
	if r.USD <= 0 {
		part.usd = 0
	}
	if r.Tokens <= 0 {
		part.tokens = 0
	}
	ok = !r.over && (r.USD <= 0 || part.usd > 0) && (r.Tokens <= 0 || part.tokens > 0)
	if !ok {
		part = spending{}
	}
	r.held = r.held.plus(part)
	r.running++
	return part, ok
}

func (r *runner) release(part, spent spending) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.held, r.spent = r.held.minus(part), r.spent.plus(spent)
	r.running--
}

// cutShort reports whether the part was less than what the case and the configuration allow by themselves.
func cutShort(own Limits, part spending) bool {
	return part.usd > 0 && (own.USD == 0 || part.usd < own.USD) || part.tokens > 0 && (own.Tokens == 0 || part.tokens < own.Tokens)
}

// smaller are the smaller limits of both.
func smaller(a, b Limits) Limits {
	return Limits{Turns: lesser(a.Turns, b.Turns), Tokens: lesser(a.Tokens, b.Tokens), USD: lesser(a.USD, b.USD), Time: lesser(a.Time, b.Time)}
}

// lesser is the smaller one of two limits, of which 0 is none.
func lesser[T int | int64 | float64 | time.Duration](a, b T) T {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

// options are those of the harness for an attempt. A case that has one message gets the whole part, another one half of it for each
// message: see trial.say.
func (r *runner) options(c *Case, part spending) harness.Options {
	cfg, l := r.Config, smaller(c.Limits, r.Config.Limits)
	if len(c.steps()) > 1 || c.User != nil {
		part.usd, part.tokens = part.usd/2, part.tokens/2
	}
	o := harness.Options{Warn: r.warnOnce, Sampling: cfg.Sampling, Program: r.Program, Version: r.Version, Trust: c.Trust || cfg.Trust, System: joined(cfg.System, c.System)}
	o.Mode, o.Effort, o.Dialect, o.Sandbox = cmp.Or(c.Mode, cfg.Mode, usualMode), cfg.Effort, cfg.Dialect, cfg.Sandbox
	o.Allow, o.Ask, o.Deny = slices.Concat(cfg.Allow, c.Allow), slices.Concat(cfg.Ask, c.Ask), slices.Concat(cfg.Deny, c.Deny)
	o.Offer = slices.Concat(cfg.Offer, c.Offer)
	o.MaxTurns, o.Budget, o.MaxUSD, o.MaxTime = l.Turns, lesser(l.Tokens, part.tokens), lesser(l.USD, part.usd), cmp.Or(l.Time, 10*time.Minute)
	return o
}

// warnOnce shows a line that comes with each attempt the first time only.
func (r *runner) warnOnce(line string) {
	r.mu.Lock()
	known := r.warned[line]
	r.warned[line] = true
	r.mu.Unlock()
	if !known {
		r.Warn(line)
	}
}

func joined(a, b string) string {
	if a != "" && b != "" {
		return a + "\n\n" + b
	}
	return a + b
}

// modelFor returns the model of an attempt.
func (r *runner) modelFor(ctx context.Context, c *Case, n int) (*watched, error) {
	if r.Model != nil {
		if m := r.Model(c, n); m != nil {
			return &watched{Model: m}, nil
		}
	}
	if r.Config.Model == "" && c.Script != nil {
		return &watched{Model: &script.Model{Script: c.Script, Name: slug(c.Name)}}, nil
	}
	m, err := r.open(ctx, cmp.Or(r.Config.Model, c.Model))
	return &watched{Model: m}, err
}

// judgeOf names the model of a judge.
func (r *runner) judgeOf(j *JudgeCheck) string {
	return cmp.Or(r.Config.Judge, cmp.Or(j.Model, r.Config.Model))
}

// open opens a model once.
func (r *runner) open(ctx context.Context, ref string) (model.Model, error) {
	if m := r.Models[ref]; m != nil {
		return m, nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if m := r.opened[ref]; m != nil {
		return m, nil
	}
	o := harness.ProviderOptions(r.settings)
	o.Warn, o.Run = r.Warn, r.Config.Sampling
	m, err := providers.Open(ctx, ref, o)
	if err != nil {
		return nil, modelError(ref, err)
	}
	r.opened[ref] = m
	return m, nil
}

// modelError gives the kind of a model that cannot be opened.
func modelError(ref string, err error) error {
	kind := harness.Usage
	none, isNone := errors.AsType[*providers.NoModel](err)
	e, isModel := errors.AsType[*model.Error](err)
	switch {
	case isNone:
		kind, err = harness.Auth, errors.New(none.Help())
	case isModel && e.Kind == model.Auth:
		kind = harness.Auth
	case strings.HasPrefix(ref, "script/"):
		kind = harness.Input
	}
	return harness.Error{Kind: kind, Err: fmt.Errorf("the model: %w", err)}
}
