package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"rein/tool"
)

var reference = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\[?e[0-9]+\]?$`) })

// resolve finds an element by its reference or by a selector.
func (t *tab) resolve(ctx context.Context, target string) (backend int64, err error) {
	if reference().MatchString(target) {
		t.mu.Lock()
		backend, ok := t.refs[strings.Trim(target, "[]")]
		t.mu.Unlock()
		if !ok {
			return 0, &tool.Error{Kind: tool.Stale, Text: target + " is not an element of this page: it may belong to an earlier one.", Hint: "Take a new browser_snapshot."}
		}
		return backend, nil
	}
	quoted, _ := json.Marshal(target)
	var found struct {
		Result struct {
			ObjectID string
			Value    any
		}
		ExceptionDetails *struct{}
	}
	script := fmt.Sprintf(`(() => { const all = document.querySelectorAll(%s); return all.length == 1 ? all[0] : all.length })()`, quoted)
	if err := t.call(ctx, "Runtime.evaluate", map[string]any{"expression": script}, &found); err != nil {
		return 0, err
	}
	switch {
	case found.ExceptionDetails != nil:
		return 0, &tool.Error{Kind: tool.BadArguments, Text: fmt.Sprintf("%q is neither a reference nor a CSS selector.", target), Hint: "Send a reference of the snapshot, such as e12."}
	case found.Result.ObjectID == "":
		return 0, &tool.Error{Kind: tool.NotFound, Text: fmt.Sprintf("The selector %q matches %v elements; it must match one.", target, found.Result.Value), Hint: "Send a reference of the snapshot, such as e12."}
	}
	var node struct{ Node struct{ BackendNodeID int64 } }
	err = t.call(ctx, "DOM.describeNode", map[string]any{"objectId": found.Result.ObjectID}, &node)
	return node.Node.BackendNodeID, err
}

// on calls a function of JavaScript on an element, and decodes what it returns.
func (t *tab) on(ctx context.Context, backend int64, function string, result any, args ...any) error {
	var object struct{ Object struct{ ObjectID string } }
	if err := t.call(ctx, "DOM.resolveNode", map[string]any{"backendNodeId": backend}, &object); err != nil {
		return gone(err)
	}
	list := make([]map[string]any, 0, len(args))
	for _, a := range args {
		if id, ok := a.(objectID); ok {
			list = append(list, map[string]any{"objectId": string(id)})
			continue
		}
		list = append(list, map[string]any{"value": a})
	}
	var got struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	err := t.call(ctx, "Runtime.callFunctionOn", map[string]any{"objectId": object.Object.ObjectID, "functionDeclaration": function,
		"arguments": list, "returnByValue": true}, &got)
	switch {
	case err != nil:
		return err
	case got.ExceptionDetails != nil:
		return fmt.Errorf("the page reported: %s", shorter(got.ExceptionDetails.Exception.Description, 300))
	case result == nil || len(got.Result.Value) == 0:
		return nil
	}
	return json.Unmarshal(got.Result.Value, result)
}

// objectID is an argument of a function that is an object of the page.
type objectID string

// gone is the error for an element that is no longer there.
func gone(err error) error {
	if strings.Contains(err.Error(), "No node") || strings.Contains(err.Error(), "does not belong") || strings.Contains(err.Error(), "Could not find") {
		return &tool.Error{Kind: tool.Stale, Text: "The element is gone: the page has changed.", Hint: "Take a new browser_snapshot."}
	}
	return err
}

// point scrolls an element into view and returns its middle. It fails where something else covers it.
func (t *tab) point(ctx context.Context, backend int64, name string) (x, y float64, err error) {
	node := map[string]any{"backendNodeId": backend}
	if err := t.call(ctx, "DOM.scrollIntoViewIfNeeded", node, nil); err != nil {
		return 0, 0, hidden(name, gone(err))
	}
	var quads struct{ Quads [][]float64 }
	if err := t.call(ctx, "DOM.getContentQuads", node, &quads); err != nil {
		return 0, 0, hidden(name, gone(err))
	}
	if len(quads.Quads) == 0 || len(quads.Quads[0]) < 8 {
		return 0, 0, hidden(name, nil)
	}
	q := quads.Quads[0]
	x, y = (q[0]+q[2]+q[4]+q[6])/4, (q[1]+q[3]+q[5]+q[7])/4
	var hit struct{ BackendNodeID int64 }
	if err := t.call(ctx, "DOM.getNodeForLocation", map[string]any{"x": int(x), "y": int(y), "includeUserAgentShadowDOM": false}, &hit); err != nil || hit.BackendNodeID == backend {
		return x, y, nil //nolint:nilerr // where nothing is found at the point, the click shows it
	}
	var over struct{ Object struct{ ObjectID string } }
	if t.call(ctx, "DOM.resolveNode", map[string]any{"backendNodeId": hit.BackendNodeID}, &over) != nil {
		return x, y, nil
	}
	var cover string
	err = t.on(ctx, backend, covering, &cover, objectID(over.Object.ObjectID))
	if err == nil && cover != "" {
		return 0, 0, &tool.Error{Kind: tool.Failed, Text: fmt.Sprintf("%s is covered by %s [%s].", name, strconv.Quote(shorter(cover, 80)), t.ref(hit.BackendNodeID)), Hint: "Close what covers it first, or press Escape."}
	}
	return x, y, nil
}

// covering names what is over an element: "" where it is the element, a part of it, or its label.
const covering = `function(over) {
	for (let n = over; n; n = n.parentNode || n.host) if (n === this) return "";
	for (let n = this; n; n = n.parentNode || n.host) if (n === over) return "";
	const label = over.nodeType === 1 && over.closest && over.closest("label");
	if (label && (label.control === this || label.contains(this))) return "";
	const box = over.nodeType === 1 ? over : over.parentElement;
	return (box.getAttribute("aria-label") || box.innerText || box.tagName).trim().slice(0, 200) || box.tagName;
}`

func hidden(name string, err error) error {
	if e := tool.AsError(err); e != nil && e.Kind == tool.Stale {
		return err
	}
	return &tool.Error{Kind: tool.Failed, Text: name + " is not visible.", Hint: "Take a new browser_snapshot."}
}

// mouse clicks at a point.
func (t *tab) mouse(ctx context.Context, x, y float64, button string, clicks, modifiers int) error {
	base := func(kind string, count int) map[string]any {
		return map[string]any{"type": kind, "x": x, "y": y, "button": button, "clickCount": count, "modifiers": modifiers}
	}
	move := base("mouseMoved", 0)
	move["button"] = "none"
	if err := t.call(ctx, "Input.dispatchMouseEvent", move, nil); err != nil {
		return err
	}
	for n := 1; n <= clicks; n++ {
		for _, kind := range []string{"mousePressed", "mouseReleased"} {
			if err := t.call(ctx, "Input.dispatchMouseEvent", base(kind, n), nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// key is a key as the browser wants it.
type key struct {
	code string
	name string
	vk   int
	text string
}

// keys are the keys that are no letters, by name.
func keys() map[string]key {
	return map[string]key{"Enter": {"Enter", "Enter", 13, "\r"}, "Tab": {"Tab", "Tab", 9, ""}, "Escape": {"Escape", "Escape", 27, ""},
		"Backspace": {"Backspace", "Backspace", 8, ""}, "Delete": {"Delete", "Delete", 46, ""}, "Space": {"Space", " ", 32, " "},
		"ArrowLeft": {"ArrowLeft", "ArrowLeft", 37, ""}, "ArrowUp": {"ArrowUp", "ArrowUp", 38, ""}, "ArrowRight": {"ArrowRight", "ArrowRight", 39, ""},
		"ArrowDown": {"ArrowDown", "ArrowDown", 40, ""}, "Home": {"Home", "Home", 36, ""}, "End": {"End", "End", 35, ""},
		"PageUp": {"PageUp", "PageUp", 33, ""}, "PageDown": {"PageDown", "PageDown", 34, ""}, "Insert": {"Insert", "Insert", 45, ""},
		"F1": {"F1", "F1", 112, ""}, "F2": {"F2", "F2", 113, ""}, "F5": {"F5", "F5", 116, ""}, "F10": {"F10", "F10", 121, ""}}
}

// modifiers are the keys that can be held.
func modifiers() map[string]int {
	return map[string]int{"Alt": 1, "Control": 2, "ControlOrMeta": 2, "Ctrl": 2, "Meta": 4, "Shift": 8}
}

// press presses a key such as "Enter", "a" or "Control+a".
func (t *tab) press(ctx context.Context, combined string) error {
	names, held := strings.Split(combined, "+"), 0
	if strings.HasSuffix(combined, "++") || combined == "+" {
		names = append(strings.Split(strings.TrimSuffix(strings.TrimSuffix(combined, "+"), "+"), "+"), "+")
	}
	for _, name := range names[:len(names)-1] {
		if name != "" && modifiers()[name] == 0 {
			return &tool.Error{Kind: tool.BadArguments, Text: fmt.Sprintf("There is no key %q to hold.", name), Hint: "Send Control, Alt, Shift or Meta."}
		}
		held |= modifiers()[name]
	}
	name := names[len(names)-1]
	k, ok := keys()[name]
	if !ok {
		letters := []rune(name)
		if len(letters) != 1 {
			return &tool.Error{Kind: tool.BadArguments, Text: fmt.Sprintf("There is no key %q.", name), Hint: "Send Enter, Tab, Escape, Backspace, ArrowDown, PageDown, one letter, or Control+a."}
		}
		upper := strings.ToUpper(name)
		k = key{name: name, text: name}
		if upper >= "A" && upper <= "Z" {
			k.code, k.vk = "Key"+upper, int(upper[0])
		}
	}
	down := map[string]any{"type": "rawKeyDown", "key": k.name, "code": k.code, "windowsVirtualKeyCode": k.vk, "modifiers": held}
	if k.text != "" && held&^8 == 0 {
		down["type"], down["text"] = "keyDown", k.text
	}
	if held == 2 && k.code == "KeyA" {
		down["commands"] = []string{"selectAll"}
	}
	if err := t.call(ctx, "Input.dispatchKeyEvent", down, nil); err != nil {
		return err
	}
	return t.call(ctx, "Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": k.name, "code": k.code, "windowsVirtualKeyCode": k.vk, "modifiers": held}, nil)
}
