package model

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// RetryOptions limits how often a request is sent again and how long Retry waits. Zero values mean the defaults.
type RetryOptions struct {
	Tries   int           // after the first; 0 means 3, negative none
	MaxWait time.Duration // longest pause; a provider that asks for a longer one is not tried again; 0 means 60 s
	First   time.Duration // the first pause, doubled each time, give or take half; 0 means 1 s
}

// Retry returns m with the one place where a request is sent again. It tries again after errors that may pass (see
// Error.Retryable): it yields a Notice with the reason and the time, waits, and sends the same request. When part of an answer
// had been yielded already the notice is a Restart: what came before it is void. Nothing has run by then, because calls
// only run after Done. o may be nil.
func Retry(m Model, o *RetryOptions) Model {
	r := retrying{Model: m, opts: RetryOptions{Tries: 3, MaxWait: time.Minute, First: time.Second}}
	if o == nil {
		return r
	}
	if o.Tries != 0 {
		r.opts.Tries = max(o.Tries, 0)
	}
	if o.MaxWait > 0 {
		r.opts.MaxWait = o.MaxWait
	}
	if o.First > 0 {
		r.opts.First = o.First
	}
	return r
}

type retrying struct {
	Model
	opts RetryOptions
}

// Stream implements Model.
func (r retrying) Stream(ctx context.Context, req *Request) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		pause := backoff.NewExponentialBackOff()
		pause.InitialInterval, pause.MaxInterval, pause.Multiplier = r.opts.First, r.opts.MaxWait, 2
		for try := 1; ; try++ {
			began, err := r.once(ctx, req, try-1, yield)
			if err == nil {
				return
			}
			wait, ok := r.wait(err, try, pause)
			if !ok {
				yield(Chunk{}, r.final(err))
				return
			}
			if !yield(r.notice(err, began, wait, try), nil) {
				return
			}
			if !sleep(ctx, wait) {
				yield(Chunk{}, context.Cause(ctx))
				return
			}
		}
	}
}

// once streams one try. A nil error means that there is nothing more to do: the answer is whole or the loop was left.
func (r retrying) once(ctx context.Context, req *Request, retries int, yield func(Chunk, error) bool) (began bool, err error) {
	for c, err := range r.Model.Stream(ctx, req) {
		if err != nil {
			return began, err
		}
		if c.Kind == Done {
			c.Retries += retries
		}
		if !yield(c, nil) {
			return began, nil
		}
		began = began || c.Kind != Notice
	}
	return began, nil
}

// wait returns how long to wait before the next try, or false when there is to be none.
func (r retrying) wait(err error, try int, pause backoff.BackOff) (time.Duration, bool) {
	e, ok := errors.AsType[*Error](err)
	if !ok || !e.Retryable() || try > r.opts.Tries || e.RetryAfter > r.opts.MaxWait {
		return 0, false
	}
	return max(e.RetryAfter, pause.NextBackOff()), true
}

// final adds the wait that the provider demands to an error after which the request is not sent again for that reason.
func (r retrying) final(err error) error {
	if e, ok := errors.AsType[*Error](err); ok && e.Retryable() && e.RetryAfter > r.opts.MaxWait {
		detailed := *e
		detailed.Text += fmt.Sprintf(" (the provider demands a wait of %v: try again after it)", e.RetryAfter.Round(time.Second))
		return &detailed
	}
	return err
}

func (r retrying) notice(err error, began bool, wait time.Duration, try int) Chunk {
	kind := Notice
	if began {
		kind = Restart
	}
	text := fmt.Sprintf("%v; trying again in %v (%d of %d)", err, wait.Round(100*time.Millisecond), try, r.opts.Tries)
	return Chunk{Kind: kind, Text: text, Retries: try}
}

// sleep waits, and reports false when the context ended first.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
