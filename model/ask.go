package model

import (
	"context"
	"errors"
	"fmt"
	"iter"
)

// Stream asks m, as m.Stream does. A panic of the model is an Error of the stream: the fault of one model ends no session. A panic of
// the caller's loop is left alone.
func Stream(ctx context.Context, m Model, r *Request) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		theirs := false // the caller's loop runs, or it has ended
		defer func() {
			if theirs {
				return
			}
			if p := recover(); p != nil {
				yield(Chunk{}, &Error{Provider: m.Info().Provider, Kind: Garbage, Text: fmt.Sprintf("internal error: %v", p)})
			}
		}()
		for c, err := range m.Stream(ctx, r) {
			theirs = true
			if !yield(c, err) {
				return
			}
			theirs = false
		}
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
