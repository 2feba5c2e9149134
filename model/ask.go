package model

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync/atomic"
)

// Stream asks m, as m.Stream does. A panic of the model is an Error of the stream: the fault of one model ends no session. What a model
// yields after the caller has left its loop is dropped. A panic of the caller's loop is left alone.
func Stream(ctx context.Context, m Model, r *Request) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		theirs := false      // the caller's loop runs
		var over atomic.Bool // the caller's loop has ended
		defer func() {
			if theirs {
				return
			}
			if p := recover(); p != nil && !over.Swap(true) {
				yield(Chunk{}, &Error{Provider: m.Info().Provider, Kind: Garbage, Text: fmt.Sprintf("internal error: %v", p)})
			}
			over.Store(true)
		}()
		m.Stream(ctx, r)(func(c Chunk, err error) bool {
			if over.Load() {
				return false
			}
			theirs = true
			more := yield(c, err)
			theirs = false
			if !more {
				over.Store(true)
			}
			return more
		})
	}
}

// Ask sends r and returns the last chunk, for callers that have no use for the pieces.
func Ask(ctx context.Context, m Model, r *Request) (Chunk, error) {
	for c, err := range Stream(ctx, m, r) {
		if err != nil {
			return Chunk{}, err
		}
		if c.Kind == Done {
			return c, nil
		}
	}
	return Chunk{}, errors.New("the model's stream ended without a last chunk")
}
