package temporal

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"iter"
	"slices"

	"rein/model"
)

// hide gives the results of calls that hold a secret which the host learned of after they were recorded: by the hash of the text, what a model
// may see of it. The worker for models does not know the secrets.
func hide(s Opened) map[string]string {
	if s.Mask == nil {
		return nil
	}
	hidden := map[string]string{}
	for _, m := range s.Messages() {
		for _, p := range m.Parts {
			if p.Kind != model.ResultKind {
				continue
			}
			if masked := s.Mask(p.Text); masked != p.Text {
				hidden[sumOf(p.Text)] = masked
			}
		}
	}
	return hidden
}

func sumOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// hiding is a model whose requests have other texts for some results.
type hiding struct {
	model.Model
	hidden map[string]string
}

// Stream sends the request without the hidden texts.
func (h hiding) Stream(ctx context.Context, r *model.Request) iter.Seq2[model.Chunk, error] {
	own := *r
	own.Messages = slices.Clone(r.Messages)
	for i, m := range own.Messages {
		for k, p := range m.Parts {
			text, ok := "", false
			if p.Kind == model.ResultKind {
				text, ok = h.hidden[sumOf(p.Text)]
			}
			if !ok {
				continue
			}
			if own.Messages[i] == m {
				own.Messages[i] = &model.Message{Role: m.Role, Parts: slices.Clone(m.Parts), From: m.From, Raw: m.Raw}
			}
			own.Messages[i].Parts[k].Text = text
		}
	}
	return h.Model.Stream(ctx, &own)
}
