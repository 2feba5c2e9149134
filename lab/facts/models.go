package main

// This file makes the list of package kit/providers: it reads the api.json that models.dev publishes from standard
// input and writes the facts that rein uses, a model a line.
//
//	curl https://models.dev/api.json | go run ./lab/facts models >kit/catalog/models.json

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
)

// providers are the ones that rein has in its table, and hosts of compatible servers that people add in their settings.
var providers = [...]string{"anthropic", "cerebras", "deepseek", "google", "groq", "mistral", "moonshotai", "openai", "openrouter", "xai", "zai"}

// facts are what is kept of a model.
type facts struct {
	Limit      json.RawMessage `json:"limit,omitempty"`
	Cost       *cost           `json:"cost,omitempty"`
	Modalities struct {
		Input  []string `json:"input,omitempty"`
		Output []string `json:"output,omitempty"`
	} `json:"modalities,omitzero"`
	Reasoning bool            `json:"reasoning,omitempty"`
	Options   json.RawMessage `json:"reasoning_options,omitempty"`
	ToolCall  bool            `json:"tool_call,omitempty"`
	Knowledge string          `json:"knowledge,omitempty"`
}

type cost struct {
	Input      float64         `json:"input"`
	Output     float64         `json:"output"`
	CacheRead  float64         `json:"cache_read,omitempty"`
	CacheWrite float64         `json:"cache_write,omitempty"`
	Tiers      json.RawMessage `json:"tiers,omitempty"`
}

func modelFacts() {
	if err := shrink(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "modelfacts:", err)
		os.Exit(1)
	}
}

func shrink(in io.Reader, to io.Writer) error {
	var all map[string]struct {
		Models map[string]facts `json:"models"`
	}
	if err := json.NewDecoder(in).Decode(&all); err != nil {
		return err
	}
	out := bufio.NewWriter(to)
	fmt.Fprint(out, "{")
	for i, name := range providers {
		models := all[name].Models
		if len(models) == 0 {
			return fmt.Errorf("there is no provider %s", name)
		}
		fmt.Fprintf(out, "%s\n%q:{\"models\":{", comma(i), name)
		n := 0
		for _, id := range slices.Sorted(maps.Keys(models)) {
			m := models[id]
			if !slices.Contains(m.Modalities.Output, "text") {
				continue
			}
			m.Modalities.Output = nil
			line, err := json.Marshal(m)
			if err != nil {
				return err
			}
			fmt.Fprintf(out, "%s\n%q:%s", comma(n), id, line)
			n++
		}
		fmt.Fprint(out, "\n}}")
	}
	fmt.Fprintln(out, "\n}")
	return out.Flush()
}

func comma(i int) string {
	if i == 0 {
		return ""
	}
	return ","
}
