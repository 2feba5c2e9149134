package model

import (
	"context"
	"errors"
)

// Ask sends r and returns the last chunk, for callers that have no use for the pieces.
func Ask(ctx context.Context, m Model, r *Request) (Chunk, error) {
	for c, err := range m.Stream(ctx, r) {
		if err != nil {
			return Chunk{}, err
		}
		if c.Kind == Done {
			return c, nil
		}
	}
	return Chunk{}, errors.New("the model's stream ended without a last chunk")
}
