package providers

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"rein/kit/providers/anthropic"
	"rein/kit/providers/bedrock"
	"rein/kit/providers/gemini"
	"rein/kit/providers/ollama"
	"rein/kit/providers/openai"
	"rein/model"
)

// samplingNames are the fields of a protocol; "": it has none.
type samplingNames struct{ temperature, topP, seed, stop string }

// samplingOf returns the fields of the protocol of a model, and whether its requests may have further ones.
func samplingOf(m model.Model) (names samplingNames, extra bool) {
	switch m.(type) {
	case *openai.Chat, *ollama.Chat:
		return samplingNames{"temperature", "top_p", "seed", "stop"}, true
	case *openai.Responses:
		return samplingNames{temperature: "temperature", topP: "top_p"}, true
	case *openai.Cohere:
		return samplingNames{"temperature", "p", "seed", "stop_sequences"}, true
	case *anthropic.Messages:
		return samplingNames{temperature: "temperature", topP: "top_p", stop: "stop_sequences"}, true
	case *gemini.Gemini:
		return samplingNames{"temperature", "topP", "seed", "stopSequences"}, true
	case *gemini.Interactions:
		return samplingNames{temperature: "temperature", topP: "top_p", seed: "seed", stop: "stop_sequences"}, false
	case *bedrock.Converse:
		return samplingNames{temperature: "temperature", topP: "topP", stop: "stopSequences"}, false
	}
	return samplingNames{}, false
}

// ownFields are fields that rein writes itself.
var ownFields = strings.Fields("model messages input contents system systemInstruction instructions tools toolConfig tool_choice stream stream_options " +
	"max_tokens max_completion_tokens max_output_tokens maxOutputTokens maxTokens num_ctx num_predict temperature top_p topP p seed stop stop_sequences stopSequences " +
	"thinking thinkingConfig reasoning reasoning_effort include store anthropic_version prompt_cache_key")

// sampled is a model that has a sampling, and takes that of a request, which comes before it. Models are compared, so it is used by its address.
type sampled struct {
	model.Model
	always model.Sampling
	fields []model.Field // those of always
}

// withSampling returns the model with a sampling. It fails where its protocol does not take all of it.
func withSampling(m model.Model, s model.Sampling) (model.Model, error) {
	fields, err := samplingFields(m, s)
	return &sampled{m, s, fields}, err
}

// samplingFields are the fields of a sampling in the requests of a model.
func samplingFields(m model.Model, s model.Sampling) ([]model.Field, error) {
	if err := s.Check(); err != nil {
		return nil, fmt.Errorf("sampling: %w", err)
	}
	names, takesExtra := samplingOf(m)
	var fields []model.Field
	var refused []string
	add := func(ours, theirs string, set bool, value any) {
		switch {
		case !set:
		case theirs == "":
			refused = append(refused, ours)
		default:
			text, _ := json.Marshal(value) // numbers and texts always can be
			fields = append(fields, model.Field{Name: theirs, Value: text})
		}
	}
	add("temperature", names.temperature, s.Temperature != nil, s.Temperature)
	add("top_p", names.topP, s.TopP != nil, s.TopP)
	add("seed", names.seed, s.Seed != nil, s.Seed)
	add("stop", names.stop, len(s.Stop) > 0, s.Stop)
	for _, name := range slices.Sorted(maps.Keys(s.Extra)) {
		if slices.Contains(ownFields, name) {
			return nil, fmt.Errorf("sampling: the extra field %q is one that rein writes itself", name)
		}
		fields = append(fields, model.Field{Name: name, Value: s.Extra[name]})
	}
	if len(s.Extra) > 0 && !takesExtra {
		refused = append(refused, "extra")
	}
	if refused != nil {
		return nil, fmt.Errorf("sampling: %s does not take %s", m.Info().Provider, strings.Join(refused, ", "))
	}
	return fields, nil
}

// Stream implements model.Model.
func (s *sampled) Stream(ctx context.Context, r *model.Request) iter.Seq2[model.Chunk, error] {
	own := *r
	own.Fields, own.Sampling = append(slices.Clip(s.fields), r.Fields...), model.Sampling{}
	if !r.Sampling.IsZero() {
		fields, err := samplingFields(s.Model, r.Sampling.Over(s.always))
		if err != nil {
			return func(yield func(model.Chunk, error) bool) {
				yield(model.Chunk{}, &model.Error{Provider: s.Info().Provider, Kind: model.BadRequest, Text: err.Error(), Err: err})
			}
		}
		own.Fields = append(fields, r.Fields...)
	}
	if slices.ContainsFunc(own.Fields, func(f model.Field) bool { return f.Name == "temperature" }) {
		own.Temperature = nil
	}
	return s.Model.Stream(ctx, &own)
}
