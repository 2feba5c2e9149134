package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"rein/internal/jsontext"
)

// Sampling says how a model chooses its words. What is not set is left to the provider. The zero value sets nothing.
type Sampling struct {
	Temperature *float64                   `json:"temperature,omitempty"` // from 0 to 2
	TopP        *float64                   `json:"top_p,omitempty"`       // above 0, at most 1
	Seed        *int64                     `json:"seed,omitempty"`
	Stop        []string                   `json:"stop,omitempty"`  // an answer ends before one of these
	Extra       map[string]json.RawMessage `json:"extra,omitempty"` // further fields of a request, as the provider names them
}

// ParseSampling reads a sampling in JSON, and checks it. An empty text is the zero value.
func ParseSampling(text []byte) (s Sampling, err error) {
	if len(text) == 0 {
		return s, nil
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if d.Decode(&s) != nil {
		return Sampling{}, errors.New(`expected an object such as {"temperature": 0.2, "top_p": 0.9, "seed": 7, "stop": ["END"], "extra": {}}`)
	}
	if err := s.Check(); err != nil {
		return Sampling{}, err
	}
	return s, nil
}

// Check refuses values that no provider takes.
func (s Sampling) Check() error {
	switch {
	case s.Temperature != nil && (*s.Temperature < 0 || *s.Temperature > 2):
		return fmt.Errorf("temperature: %v is not from 0 to 2", *s.Temperature)
	case s.TopP != nil && (*s.TopP <= 0 || *s.TopP > 1):
		return fmt.Errorf("top_p: %v is not above 0 and at most 1", *s.TopP)
	}
	if slices.Contains(s.Stop, "") {
		return errors.New("stop: an empty text")
	}
	return nil
}

// Over lays the sampling over another one: what it sets replaces what is below.
func (s Sampling) Over(below Sampling) Sampling {
	if s.Temperature != nil {
		below.Temperature = s.Temperature
	}
	if s.TopP != nil {
		below.TopP = s.TopP
	}
	if s.Seed != nil {
		below.Seed = s.Seed
	}
	if s.Stop != nil {
		below.Stop = s.Stop
	}
	if s.Extra != nil {
		extra := maps.Clone(below.Extra)
		if extra == nil {
			extra = map[string]json.RawMessage{}
		}
		maps.Copy(extra, s.Extra)
		below.Extra = extra
	}
	return below
}

// SamplingNames are the fields of a protocol for a Sampling; "": it has none.
type SamplingNames struct {
	Temperature, TopP, Seed, Stop string
	Extra                         bool // its requests may have further fields
}

// ownFields are fields that rein writes itself.
var ownFields = strings.Fields("model messages input contents system systemInstruction instructions tools toolConfig tool_choice stream stream_options " +
	"max_tokens max_completion_tokens max_output_tokens maxOutputTokens maxTokens num_ctx num_predict temperature top_p topP p seed stop stop_sequences stopSequences " +
	"thinking thinkingConfig reasoning reasoning_effort include store anthropic_version prompt_cache_key")

// Refuse returns a BadRequest error where a protocol does not take all of a sampling.
func (n SamplingNames) Refuse(provider string, s Sampling) error {
	var refused []string
	for _, f := range n.fields(s) {
		if f.theirs == "" {
			refused = append(refused, f.ours)
		}
	}
	wrong := ""
	for _, name := range slices.Sorted(maps.Keys(s.Extra)) {
		if slices.Contains(ownFields, name) {
			wrong = fmt.Sprintf("the extra field %q is one that rein writes itself", name)
		}
	}
	if len(s.Extra) > 0 && !n.Extra {
		refused = append(refused, "extra")
	}
	if refused != nil {
		wrong = provider + " does not take " + strings.Join(refused, ", ")
	}
	if wrong == "" {
		return nil
	}
	return &Error{Provider: provider, Kind: BadRequest, Text: "sampling: " + wrong}
}

// samplingField is a field that is set.
type samplingField struct {
	ours, theirs string // theirs is "" where the protocol has none
	value        []byte
}

// fields are those of a sampling but for the further ones.
func (n SamplingNames) fields(s Sampling) (all []samplingField) {
	add := func(ours, theirs string, set bool, value any) {
		if set {
			text, _ := json.Marshal(value) // numbers and texts always can be
			all = append(all, samplingField{ours, theirs, text})
		}
	}
	add("temperature", n.Temperature, s.Temperature != nil, s.Temperature)
	add("top_p", n.TopP, s.TopP != nil, s.TopP)
	add("seed", n.Seed, s.Seed != nil, s.Seed)
	add("stop", n.Stop, len(s.Stop) > 0, s.Stop)
	return all
}

// Append appends the fields of a sampling to a request, with commas. What Refuse refuses is left out.
func (n SamplingNames) Append(out []byte, s Sampling) []byte {
	for _, f := range n.fields(s) {
		if f.theirs != "" {
			out = append(jsontext.AppendKey(out, f.theirs), f.value...)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Extra)) {
		if n.Extra && !slices.Contains(ownFields, name) {
			out = append(jsontext.AppendKey(out, name), s.Extra[name]...)
		}
	}
	return out
}
