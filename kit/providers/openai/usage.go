package openai

import (
	"encoding/json"
	"errors"

	"rein/model"
)

// counts are the tokens as both protocols report them. Each has its own names, and servers add some of theirs.
type counts struct {
	Prompt     int64 `json:"prompt_tokens"`     // chat completions
	Completion int64 `json:"completion_tokens"` // chat completions
	Input      int64 `json:"input_tokens"`      // responses
	Output     int64 `json:"output_tokens"`     // responses

	PromptDetails     inputDetails  `json:"prompt_tokens_details"`
	InputDetails      inputDetails  `json:"input_tokens_details"`
	CompletionDetails outputDetails `json:"completion_tokens_details"`
	OutputDetails     outputDetails `json:"output_tokens_details"`

	Total       int64 `json:"total_tokens"`
	CacheHit    int64 `json:"prompt_cache_hit_tokens"` // DeepSeek
	CachedCount int64 `json:"num_cached_tokens"`       // Mistral
	Cached      int64 `json:"cached_tokens"`           // Moonshot

	Cost cost `json:"cost"` // in US dollars
}

// cost is a number (OpenRouter), or an object with one (Charm).
type cost float64

// UnmarshalJSON implements json.Unmarshaler. What it cannot read is no price.
func (c *cost) UnmarshalJSON(raw []byte) error {
	var named struct{ USD float64 }
	_ = json.Unmarshal(raw, &named)
	*c = cost(named.USD)
	var number float64
	if json.Unmarshal(raw, &number) == nil {
		*c = cost(number)
	}
	return nil
}

type inputDetails struct {
	Cached  int64 `json:"cached_tokens"`
	Written int64 `json:"cache_write_tokens"` // OpenRouter
}

type outputDetails struct {
	Reasoning int64 `json:"reasoning_tokens"`
}

// readUsage returns what a server reports; ok is false where it reports nothing. A count of another type than a number is
// left out, and the others count.
func readUsage(raw []byte) (u model.Usage, ok bool) {
	var c counts
	err := json.Unmarshal(raw, &c)
	if _, odd := errors.AsType[*json.UnmarshalTypeError](err); err != nil && !odd {
		return u, false
	}
	u = model.Usage{
		// Some servers leave thinking out of the output, but count it in the total.
		Input: c.Prompt + c.Input, Output: max(c.Completion+c.Output, c.Total-c.Prompt-c.Input),
		CacheRead:  max(c.PromptDetails.Cached, c.InputDetails.Cached, c.CacheHit, c.CachedCount, c.Cached),
		CacheWrite: max(c.PromptDetails.Written, c.InputDetails.Written),
		Thinking:   max(c.CompletionDetails.Reasoning, c.OutputDetails.Reasoning),
		Cost:       float64(c.Cost),
	}
	return u, u.Input+u.Output > 0
}
