package providers

import (
	"context"
	"iter"

	"rein/model"
)

// sampled is a model with a sampling, over which that of a request is laid.
type sampled struct {
	model.Model
	sampling model.Sampling
}

// withSampling returns the model with a sampling. It fails where its protocol does not take all of it.
func withSampling(m model.Model, s model.Sampling) (model.Model, error) {
	var names model.SamplingNames
	if protocol, ok := m.(interface{ SamplingNames() model.SamplingNames }); ok {
		names = protocol.SamplingNames()
	}
	if err := names.Refuse(m.Info().Provider, s); err != nil {
		return nil, err
	}
	return &sampled{m, s}, nil
}

// Stream implements model.Model.
func (s *sampled) Stream(ctx context.Context, r *model.Request) iter.Seq2[model.Chunk, error] {
	own := *r
	own.Sampling = r.Sampling.Over(s.sampling)
	return s.Model.Stream(ctx, &own)
}
