package browser

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"rein/kit/document"
	"rein/tool"
)

const (
	snapshotBytes = 24 << 10
	afterBytes    = 8 << 10 // of the snapshot after an action
	mostElements  = 20_000
)

// lines are those of the page, or of the part of it below an element.
func (t *tab) lines(ctx context.Context, from int64) ([]string, error) {
	var size struct{ Result struct{ Value int } }
	if err := t.call(ctx, "Runtime.evaluate", map[string]any{"expression": "document.getElementsByTagName('*').length", "returnByValue": true}, &size); err != nil {
		return nil, err
	}
	if size.Result.Value > mostElements {
		return nil, &tool.Error{Kind: tool.TooLarge, Text: fmt.Sprintf("The page has %d elements; the limit is %d.", size.Result.Value, mostElements),
			Hint: "Look at it with browser_take_screenshot, or read it with browser_evaluate or web_fetch."}
	}
	var tree struct{ Nodes []axtreeNode }
	if err := t.call(ctx, "Accessibility.getFullAXTree", nil, &tree); err != nil {
		return nil, err
	}
	clickable, err := t.clickable(ctx)
	if err != nil {
		return nil, err
	}
	return axtreeLines(tree.Nodes, from, axtreeOptions{Ref: t.ref, Clickable: clickable, Frame: func(backend int64) []axtreeNode { return t.inFrame(ctx, backend) }}), nil
}

// clickable are the elements that react to a click although the tree does not say so.
func (t *tab) clickable(ctx context.Context) (map[int64]bool, error) {
	var shot struct {
		Documents []struct {
			Nodes struct {
				Backend     []int64               `json:"backendNodeId"`
				IsClickable struct{ Index []int } `json:"isClickable"`
			} `json:"nodes"`
		} `json:"documents"`
	}
	if err := t.call(ctx, "DOMSnapshot.captureSnapshot", map[string]any{"computedStyles": []string{}}, &shot); err != nil {
		return nil, err
	}
	all := map[int64]bool{}
	for _, d := range shot.Documents {
		for _, i := range d.Nodes.IsClickable.Index {
			if i >= 0 && i < len(d.Nodes.Backend) {
				all[d.Nodes.Backend[i]] = true
			}
		}
	}
	return all, nil
}

// inFrame is the tree of the document in a frame.
func (t *tab) inFrame(ctx context.Context, backend int64) []axtreeNode {
	var node struct{ Node struct{ FrameID string } }
	if t.call(ctx, "DOM.describeNode", map[string]any{"backendNodeId": backend}, &node) != nil || node.Node.FrameID == "" {
		return nil
	}
	var tree struct{ Nodes []axtreeNode }
	if t.call(ctx, "Accessibility.getFullAXTree", map[string]any{"frameId": node.Node.FrameID}, &tree) != nil {
		return nil
	}
	return tree.Nodes
}

// ref names an element; it keeps its name as long as the document is there.
func (t *tab) ref(backend int64) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if name, ok := t.names[backend]; ok {
		return name
	}
	*t.count++
	name := fmt.Sprintf("e%d", *t.count)
	t.names[backend], t.refs[name] = name, backend
	return name
}

// shown writes the page: where it is, what happened, and its lines up to a limit.
func (b *Browser) shown(ctx context.Context, t *tab, from int64, most int, r *tool.Reply) error {
	lines, err := t.lines(ctx, from)
	if err != nil {
		return err
	}
	var title struct{ Result struct{ Value string } }
	if err := t.call(ctx, "Runtime.evaluate", map[string]any{"expression": "document.title", "returnByValue": true}, &title); err != nil {
		return err
	}
	t.mu.Lock()
	at, loading := t.url, t.loading
	t.mu.Unlock()
	for _, note := range t.takeNotes() {
		r.Note(note)
	}
	if loading {
		r.Note("the page is still loading")
	}
	var text strings.Builder
	fmt.Fprintf(&text, "Page: %s\nTitle: %s\n", shorter(at, 500), shorter(title.Result.Value, 200))
	shown := 0
	for shown < len(lines) && text.Len()+len(lines[shown]) < most {
		text.WriteString(lines[shown] + "\n")
		shown++
	}
	host := t.host()
	if host == "" {
		host = "the page"
	}
	document.QuoteUntrusted(r, host, document.Printable(text.String()))
	if shown < len(lines) {
		fmt.Fprintf(r, "(lines left out: %d; browser_snapshot with a target, or browser_find)\n", len(lines)-shown)
	}
	_, _ = r.WriteString(b.blocked(t))
	return nil
}

// blocked names the hosts that the page could not reach.
func (b *Browser) blocked(t *tab) string {
	if b.options.Refused == nil {
		return ""
	}
	asked := map[string]int{}
	t.mu.Lock()
	for _, q := range t.requests {
		if q.failed != "" {
			asked[hostOf(q.url)]++
		}
	}
	t.mu.Unlock()
	var names []string
	for _, host := range b.options.Refused(t.r.started) {
		name, _, _ := strings.Cut(host, ":")
		if n := asked[name]; n > 0 && !slices.Contains(names, host) {
			names = append(names, fmt.Sprintf("%s (%d)", host, n))
		}
	}
	if len(names) == 0 {
		return ""
	}
	text := "(hosts that the page could not reach: " + strings.Join(names[:min(len(names), 10)], ", ")
	if b.options.Ask != nil {
		host, _, _ := strings.Cut(names[0], " ")
		if call := b.options.Ask(host); call != "" {
			text += "; if the task needs one: " + call
		}
	}
	return text + ")\n"
}

type snapshotArgs struct {
	Target string `json:"target,omitempty" jsonschema:"only below this element: a reference (e12) or a CSS selector"`
}

func (b *Browser) snapshot(ctx context.Context, in snapshotArgs, r *tool.Reply) error {
	return b.do(ctx, 30*time.Second, func(ctx context.Context, t *tab) error {
		from := int64(0)
		if in.Target != "" {
			var err error
			if from, err = t.resolve(ctx, in.Target); err != nil {
				return err
			}
		}
		return b.shown(ctx, t, from, snapshotBytes, r)
	})
}

type findArgs struct {
	Text  string `json:"text,omitempty" jsonschema:"words on the page, in any case"`
	Regex string `json:"regex,omitempty" jsonschema:"or a regular expression (RE2)"`
}

const mostFound = 50

func (b *Browser) find(ctx context.Context, in findArgs, r *tool.Reply) error {
	if in.Text == "" && in.Regex == "" {
		return &tool.Error{Kind: tool.BadArguments, Text: "There is nothing to find.", Hint: "Send text or regex."}
	}
	pattern := in.Regex
	if pattern == "" {
		pattern = "(?i)" + regexp.QuoteMeta(in.Text)
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return &tool.Error{Kind: tool.BadArguments, Text: "The regular expression is wrong: " + err.Error()}
	}
	return b.do(ctx, 30*time.Second, func(ctx context.Context, t *tab) error {
		lines, err := t.lines(ctx, 0)
		if err != nil {
			return err
		}
		var out []string
		hits, last := 0, -1
		for i, line := range lines {
			if !re.MatchString(line) {
				continue
			}
			if hits++; hits > mostFound {
				break
			}
			for j := max(last+1, i-2); j <= min(i+2, len(lines)-1); j++ {
				out = append(out, lines[j])
				last = j
			}
		}
		if hits == 0 {
			return &tool.Error{Kind: tool.NotFound, Text: "Nothing on the page matches.", Hint: "Take a browser_snapshot."}
		}
		document.QuoteUntrusted(r, t.host(), document.Printable(shorter(strings.Join(out, "\n"), snapshotBytes)))
		return nil
	})
}
