package tool

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"rein/schema"
)

func TestNewSetRefuses(t *testing.T) {
	input, err := schema.Parse([]byte(`{"type":"object"}`))
	if err != nil {
		t.Fatal(err)
	}
	run := func(context.Context, json.RawMessage, *Reply) error { return nil }
	rows := map[string]struct {
		tools []*Tool
		says  string
	}{
		"no tool":                                {[]*Tool{nil}, "nil"},
		"a tool without Input":                   {[]*Tool{{Name: "a", Run: run}}, "no Input"},
		"a tool with an Input that is no schema": {[]*Tool{{Name: "a", Input: &schema.Schema{}, Run: run}}, "no Input"},
		"a tool without Run":                     {[]*Tool{{Name: "a", Input: input}}, "no Run"},
		"a name twice":                           {[]*Tool{{Name: "a", Input: input, Run: run}, {Name: "a", Input: input, Run: run}}, "two tools"},
		"an empty name":                          {[]*Tool{{Input: input, Run: run}}, "tool name"},
		"a name that providers do not take":      {[]*Tool{{Name: "a b", Input: input, Run: run}}, "tool name"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			if _, err := NewSet(row.tools...); err == nil || !strings.Contains(err.Error(), row.says) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestASetIsSorted(t *testing.T) {
	input, err := schema.Parse([]byte(`{"type":"object"}`))
	if err != nil {
		t.Fatal(err)
	}
	made := func(name string) *Tool {
		return &Tool{Name: name, Input: input, Run: func(context.Context, json.RawMessage, *Reply) error { return nil }}
	}
	s, err := NewSet(made("b"), made("c"), made("a"))
	if err != nil || strings.Join(s.Names(), "") != "abc" || s.Get("b") == nil || s.Get("d") != nil {
		t.Errorf("got %v, %v", s.Names(), err)
	}
	if only := s.Only(func(t *Tool) bool { return t.Name != "b" }); strings.Join(only.Names(), "") != "ac" || only.Get("b") != nil {
		t.Errorf("the subset is %v", only.Names())
	}
}

func TestASetRefusesAnEffectThatDoesNotExist(t *testing.T) {
	s, err := schema.Parse([]byte(`{"type":"object"}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []Effect{1 << 4, 1 << 6, Reads | 1<<7} {
		if _, err := NewSet(&Tool{Name: "x", Input: s, Effect: e, Run: func(context.Context, json.RawMessage, *Reply) error { return nil }}); err == nil {
			t.Errorf("the effect %#x is taken", uint8(e))
		}
	}
}
