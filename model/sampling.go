package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
)

// Sampling says how a model chooses its words. What is not set is left to the provider. The zero value sets nothing.
type Sampling struct {
	Temperature *float64                   `json:"temperature,omitempty"` // from 0 to 2
	TopP        *float64                   `json:"top_p,omitempty"`       // above 0, at most 1
	Seed        *int64                     `json:"seed,omitempty"`
	Stop        []string                   `json:"stop,omitempty"`  // an answer ends before one of these
	Extra       map[string]json.RawMessage `json:"extra,omitempty"` // further fields of a request, as the provider names them
}

// ParseSampling reads a sampling from JSON and checks it.
func ParseSampling(text []byte) (s Sampling, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return Sampling{}, errors.New(`expected an object such as {"temperature": 0.2, "top_p": 0.9, "seed": 7, "stop": ["END"], "extra": {}}`)
	}
	return s, s.Check()
}

// Check refuses values that no provider takes.
func (s Sampling) Check() error {
	switch {
	case s.Temperature != nil && (*s.Temperature < 0 || *s.Temperature > 2):
		return fmt.Errorf("temperature: %v is not from 0 to 2", *s.Temperature)
	case s.TopP != nil && (*s.TopP <= 0 || *s.TopP > 1):
		return fmt.Errorf("top_p: %v is not above 0 and at most 1", *s.TopP)
	}
	for _, text := range s.Stop {
		if text == "" {
			return errors.New("stop: an empty text")
		}
	}
	return nil
}

// IsZero reports whether nothing is set.
func (s Sampling) IsZero() bool {
	return s.Temperature == nil && s.TopP == nil && s.Seed == nil && len(s.Stop) == 0 && len(s.Extra) == 0
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
