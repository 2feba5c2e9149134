package harness

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"
	"unicode"

	"rein/tool"
)

// searchName is the name of the tool that searches the others.
const searchName = "tool_search"

const (
	defaultFound = 5
	mostFound    = 20
	waitForTools = 10 * time.Second // for servers that start
)

type searchArgs struct {
	Query string   `json:"query,omitempty" jsonschema:"what the tool should do"`
	Names []string `json:"names,omitempty" jsonschema:"names of tools, from the list"`
	Limit int      `json:"limit,omitempty" jsonschema:"1 to 20 (default 5)"`
}

// Intent is empty: a search touches nothing.
func (searchArgs) Intent() tool.Intent { return tool.Intent{} }

// Search returns the tool that searches, the same each time; nil when there is nothing to search.
func (c *toolCatalog) Search() *tool.Tool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.search == nil {
		about := c.about()
		if about == "" {
			return nil
		}
		c.search = tool.New(searchName, "Find more tools, by words or by names from this list. You can call the tools that it finds from your next message on. There are tools for:\n"+about, 0, c.run)
		c.search.Timeout = waitForTools + 5*time.Second
	}
	return c.search
}

func (c *toolCatalog) run(ctx context.Context, in searchArgs, r *tool.Reply) error {
	if strings.TrimSpace(in.Query) == "" && len(in.Names) == 0 {
		return &tool.Error{Kind: tool.BadArguments, Text: "Send query or names."}
	}
	found := c.find(ctx, in)
	if len(found) == 0 {
		waiting, cancel := context.WithTimeout(ctx, waitForTools)
		defer cancel()
		for _, p := range c.Providers {
			p.Wait(waiting)
		}
		found = c.find(ctx, in)
	}
	if len(found) == 0 {
		fmt.Fprintf(r, "No tool matches. Tools that can be found: %d, for:\n%s\n", len(c.whole(ctx)), c.about())
		return nil
	}
	c.keep(found)
	fmt.Fprintf(r, "You can call these from your next message on:\n")
	for _, t := range found {
		fmt.Fprintln(r, toolLine(t))
	}
	return nil
}

// whole are all tools that can be found.
func (c *toolCatalog) whole(ctx context.Context) []*tool.Tool {
	all, _ := c.all(ctx)
	return slices.Concat(c.own, all)
}

// find returns the tools that fit best, the best first.
func (c *toolCatalog) find(ctx context.Context, in searchArgs) []*tool.Tool {
	all := c.whole(ctx)
	var found []*tool.Tool
	for _, name := range in.Names {
		for _, t := range all {
			if t.Name == name && !slices.Contains(found, t) {
				found = append(found, t)
			}
		}
	}
	limit := in.Limit
	if limit <= 0 {
		limit = defaultFound
	}
	limit = min(limit, mostFound)
	type scored struct {
		tool  *tool.Tool
		score int
	}
	var ranked []scored
	query := splitWords(in.Query)
	for _, t := range all {
		if n := scoreTool(t, query); n > 0 && !slices.Contains(found, t) {
			ranked = append(ranked, scored{t, n})
		}
	}
	sort.SliceStable(ranked, func(i, j int) bool { return ranked[i].score > ranked[j].score })
	for _, s := range ranked {
		if len(found) >= max(limit, len(in.Names)) {
			break
		}
		found = append(found, s.tool)
	}
	return found
}

// scoreTool counts how well a tool fits: a word of the query in its name counts more than one in its description, and one in
// its arguments least.
func scoreTool(t *tool.Tool, query []string) (n int) {
	name, about, arguments := splitWords(t.Name), splitWords(t.Description), strings.ToLower(string(t.Input.Raw()))
	for _, q := range query {
		switch {
		case hasWord(name, q):
			n += 8
		case hasWord(about, q):
			n += 3
		case len(q) > 2 && strings.Contains(arguments, q):
			n++
		}
	}
	return n
}

// hasWord reports whether a list has a word, or one that begins like it: "issue" and "issues" are the same.
func hasWord(list []string, word string) bool {
	return slices.ContainsFunc(list, func(w string) bool {
		return w == word || len(word) > 3 && len(w) > 3 && (strings.HasPrefix(w, word) || strings.HasPrefix(word, w))
	})
}

// splitWords splits a text into lower-case words, also at the humps of camelCase. Words that mean nothing here are left out.
func splitWords(text string) []string {
	var b strings.Builder
	lower := false
	for _, r := range text {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			b.WriteByte(' ')
			lower = false
			continue
		case unicode.IsUpper(r) && lower:
			b.WriteByte(' ')
		}
		lower = unicode.IsLower(r)
		b.WriteRune(unicode.ToLower(r))
	}
	return slices.DeleteFunc(strings.Fields(b.String()), func(w string) bool {
		return slices.Contains([]string{"a", "an", "the", "to", "of", "for", "in", "on", "with", "and", "or", "mcp", "tool", "tools"}, w)
	})
}
