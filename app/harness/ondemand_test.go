package harness

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"rein/schema"
	"rein/tool"
)

func namedTool(t testing.TB, name, description string) *tool.Tool {
	t.Helper()
	input, err := schema.Parse([]byte(`{"type":"object","properties":{"a":{"type":"string"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	return &tool.Tool{Name: name, Description: description, Input: input, Run: func(context.Context, json.RawMessage, *tool.Reply) error { return nil }}
}

func list(tools []*tool.Tool) string {
	var names []string
	for _, t := range tools {
		names = append(names, t.Name)
	}
	return strings.Join(names, " ")
}

// Fixed is a provider of tools that are there from the start.
type Fixed struct {
	Text string // what About gives
	List []*tool.Tool
}

// Tools returns the list.
func (f Fixed) Tools(context.Context) []*tool.Tool { return f.List }

// Get returns a tool of the list.
func (f Fixed) Get(name string) *tool.Tool {
	if i := slices.IndexFunc(f.List, func(t *tool.Tool) bool { return t.Name == name }); i >= 0 {
		return f.List[i]
	}
	return nil
}

// Wait reports that nothing is to come.
func (Fixed) Wait(context.Context) bool { return false }

// About returns the text, where there are tools.
func (f Fixed) About() string {
	if len(f.List) == 0 {
		return ""
	}
	return f.Text
}

func search(t *testing.T, c *toolCatalog, args string) string {
	t.Helper()
	r := tool.NewReply(tool.ReplyOptions{})
	err := c.Get(searchName).Run(t.Context(), json.RawMessage(args), r)
	text, _, _, _ := r.Close()
	if err != nil {
		return err.Error()
	}
	return text
}

func TestFewToolsAreShownAll(t *testing.T) {
	c := &toolCatalog{Providers: []toolProvider{Fixed{"x", []*tool.Tool{namedTool(t, "a", ""), namedTool(t, "b", "")}}}}
	if got := list(c.Shown(t.Context(), nil)); got != "a b" {
		t.Errorf("shown: %s", got)
	}
}

// TestManyToolsAreDeferred looks what the model sees before and after a search, and in a resumed session.
func TestManyToolsAreDeferred(t *testing.T) {
	tools := []*tool.Tool{namedTool(t, "create_issue", "Open a new issue."), namedTool(t, "sendMail", "Send a message."), namedTool(t, "weather", "Forecast of a city."), namedTool(t, "get_issues", "List.")}
	for name, l := range map[string]deferLimits{"by count": {Count: 3}, "by share": {Share: 1}} {
		t.Run(name, func(t *testing.T) {
			c := &toolCatalog{Providers: []toolProvider{Fixed{"- tracker and mail", tools}}, Limits: l, Window: func() int { return 1000 }}
			if got := list(c.Shown(t.Context(), nil)); got != searchName {
				t.Errorf("before: %s", got)
			}
			if about := c.Get(searchName).Description; !strings.Contains(about, "tracker and mail") {
				t.Errorf("the search is described as %q", about)
			}
			text := search(t, c, `{"query":"an issue"}`)
			if !strings.Contains(text, "create_issue") || !strings.Contains(text, "get_issues") || strings.Contains(text, "weather") {
				t.Errorf("found: %s", text)
			}
			if got := list(c.Shown(t.Context(), []string{searchName})); got != "tool_search create_issue get_issues" {
				t.Errorf("after: %s", got)
			}
			if text := search(t, c, `{"names":["sendMail"]}`); !strings.Contains(text, "sendMail") {
				t.Errorf("by name: %s", text)
			}
			resumed := &toolCatalog{Providers: c.Providers, Limits: l}
			if got := list(resumed.Shown(t.Context(), []string{searchName, "weather"})); got != "tool_search weather" {
				t.Errorf("resumed: %s", got)
			}
			if resumed.Get("sendMail") == nil {
				t.Error("a tool that was not searched for cannot be called")
			}
		})
	}
	if got := list((&toolCatalog{Providers: []toolProvider{Fixed{"x", tools}}, Limits: deferLimits{Off: true, Count: 1}}).Shown(t.Context(), nil)); !strings.Contains(got, "weather") {
		t.Errorf("switched off: %s", got)
	}
}

func TestASearchWithoutAResultNamesWhatThereIs(t *testing.T) {
	c := &toolCatalog{Providers: []toolProvider{Fixed{"- mail", []*tool.Tool{namedTool(t, "send", "")}}}, Limits: deferLimits{Share: 1}}
	if text := search(t, c, `{"query":"zebra"}`); !strings.Contains(text, "- mail") {
		t.Error(text)
	}
	if text := search(t, c, `{}`); !strings.Contains(text, "Send query or names") {
		t.Error(text)
	}
}

// TestTwoHundredToolsCostLittle holds what deferral adds to each request: at most 2 ms for 200 tools.
func TestTwoHundredToolsCostLittle(t *testing.T) {
	var tools []*tool.Tool
	for i := range 200 {
		tools = append(tools, namedTool(t, fmt.Sprintf("tool_%d", i), strings.Repeat("does something ", 20)))
	}
	c := &toolCatalog{Providers: []toolProvider{Fixed{"x", tools}}}
	c.Shown(t.Context(), nil)
	best := time.Hour
	for range 20 {
		start := time.Now()
		c.Shown(t.Context(), []string{searchName})
		best = min(best, time.Since(start))
	}
	if best > 2*time.Millisecond {
		t.Errorf("%v", best)
	}
}
