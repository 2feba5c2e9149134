package dialect

import (
	"slices"
	"strings"
	"testing"
)

func TestEveryRowIsWhole(t *testing.T) {
	owner := map[string]string{}
	for _, name := range dialectNames() {
		d, err := load(name)
		if err != nil {
			t.Errorf("data/%s.yaml: %v", name, err)
			continue
		}
		if got := modelsOf(name); !slices.Equal(got, d.Models) {
			t.Errorf("data/%s.yaml: models must be one line, [a, b]: read %q, want %q", name, got, d.Models)
		}
		for _, part := range d.Models {
			if owner[part] != "" {
				t.Errorf("both %s and %s are for %s", owner[part], name, part)
			}
			owner[part] = name
		}
	}
	if len(dialectNames()) < 70 {
		t.Errorf("only %d dialects", len(dialectNames()))
	}
}

func TestAnIncompleteRowIsRefused(t *testing.T) {
	rows := []struct{ name, text, want string }{
		{"no words about it", "models: [x]", "about is empty"},
		{"an unknown field", "about: x\nmodel: [x]", "field model not found"},
		{"an unknown syntax", "about: x\ncalls: [{syntax: xml}]", `"xml" is not one of json, named, markup`},
		{"a name in capitals", "about: x\nmodels: [GPT]", `models: "GPT" must be part of a name`},
		{"markup without parameters", "about: x\ncalls: [{syntax: markup, open: [a]}]", "calls, item 1: the syntax markup needs"},
		{"named without a separator", "about: x\ncalls: [{syntax: named, open: [a]}]", "needs open and sep"},
		{"braces without quotes", "about: x\ncalls: [{syntax: braces, open: [a]}]", "needs open and quote"},
		{"elements without a closer", "about: x\ncalls: [{syntax: elements, open: [a]}]", "need open and close"},
		{"a closer that is needed and missing", "about: x\ncalls: [{open: [a], need_close: true}]", "need_close without close"},
		{"each without a section", "about: x\ncalls: [{open: [a], each: true}]", "each without section"},
		{"thinking that never ends", "about: x\nthink: [{open: [a]}]", "think and inert need open and close"},
		{"frames without a head", "about: x\nframes: {start: [a]}", "frames need start and head"},
		{"a prompt without tools", "about: x\nprompt: {text: hi, result: '{content}'}", "prompt.text does not hold {tools}"},
		{"a prompt without results", "about: x\nprompt: {text: '{tools}', result: hi}", "prompt.result holds neither"},
		{"another name", "name: y\nabout: x", `it names itself "y"`},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			if _, err := parse("x", []byte(row.text)); err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("got %v, want %s", err, row.want)
			}
		})
	}
}

func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		if _, err := load("hermes"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFor(b *testing.B) {
	for b.Loop() {
		For("unknown-model")
	}
}
