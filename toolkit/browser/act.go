package browser

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"time"

	"rein/tool"
)

type navigateArgs struct {
	URL string `json:"url" jsonschema:"address, with http:// or https://" minLength:"1" maxLength:"4096"`
}

// address reads the address of a page. Only web pages are opened: other schemes show files and settings.
func (a navigateArgs) address() (*url.URL, error) {
	text := strings.TrimSpace(a.URL)
	if !strings.Contains(text, "://") && text != "about:blank" {
		scheme := "https://"
		if own(strings.SplitN(text, "/", 2)[0]) {
			scheme = "http://"
		}
		text = scheme + text
	}
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return nil, &tool.Error{Kind: tool.BadArguments, Text: "That is no address: " + a.URL}
	case text == "about:blank":
		return u, nil
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, &tool.Error{Kind: tool.BadArguments, Text: "Only http and https addresses open here.", Hint: "Read files with read_file; serve them with bash to see them in the browser."}
	case u.User != nil:
		return nil, &tool.Error{Kind: tool.BadArguments, Text: "An address must not have a user name and a password.", Hint: "Leave them out."}
	}
	return u, nil
}

// navigateIntent contacts the host of the address.
func (b *Browser) navigateIntent(in navigateArgs) (tool.Intent, error) {
	u, err := in.address()
	if err != nil {
		return tool.Intent{}, err
	}
	t := &tab{url: u.String()}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.going = t.host(); b.going == "" {
		return tool.Intent{}, nil
	}
	return tool.Intent{Hosts: []string{b.going}}, nil
}

func (b *Browser) navigate(ctx context.Context, in navigateArgs, r *tool.Reply) error {
	u, err := in.address()
	if err != nil {
		return err
	}
	b.calls.Lock()
	defer b.calls.Unlock()
	run, err := b.ready(ctx, r)
	if err != nil {
		return err
	}
	if b.options.Hold != nil {
		run.mu.Lock()
		run.release = append(run.release, b.options.Hold(r.Call()))
		run.mu.Unlock()
	}
	return b.within(ctx, b.limits.navigate, run, func(ctx context.Context, run *running) error {
		return run.onPage(ctx, func(ctx context.Context, t *tab) error { return b.load(ctx, t, u, r) })
	})
}

// load opens an address in a tab and shows the page.
func (b *Browser) load(ctx context.Context, t *tab, u *url.URL, r *tool.Reply) error {
	began := time.Now()
	var gone struct{ ErrorText string }
	err := t.call(ctx, "Page.navigate", map[string]any{"url": u.String()}, &gone)
	if err == errSlow {
		stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer cancel()
		_ = t.r.conn.Call(stop, t.session, "Page.stopLoading", nil, nil)
		return &tool.Error{Kind: tool.TimedOut, Text: fmt.Sprintf("No answer from %s in %v.", u.Host, b.limits.navigate), Hint: "Try once more, or use another page."}
	}
	if err != nil {
		return err
	}
	if gone.ErrorText != "" {
		return b.unreachable(u, gone.ErrorText, began)
	}
	t.settle(ctx, 200*time.Millisecond, b.limits.load)
	return b.shown(ctx, t, 0, snapshotBytes, r)
}

// unreachable is the error of a page that was not loaded.
func (b *Browser) unreachable(u *url.URL, text string, since time.Time) error {
	e := &tool.Error{Kind: tool.Failed, Text: "The page was not loaded: " + text + ".", Hint: "Check the address."}
	host := (&tab{url: u.String()}).host()
	refused := false
	if b.options.Refused != nil {
		for _, name := range b.options.Refused(since) {
			bare, _, _ := strings.Cut(name, ":")
			refused = refused || bare == u.Hostname()
		}
	}
	if refused {
		e.Kind, e.Text = tool.Denied, "The network policy refuses "+host+"."
		if b.options.Ask != nil {
			if call := b.options.Ask(host); call != "" {
				e.Hint = "If the task needs it, request access with this call: " + call
			}
		}
	}
	return e
}

type backArgs struct{}

func (b *Browser) back(ctx context.Context, _ backArgs, r *tool.Reply) error {
	return b.do(ctx, b.limits.navigate, func(ctx context.Context, t *tab) error {
		var history struct {
			CurrentIndex int
			Entries      []struct{ ID int }
		}
		if err := t.call(ctx, "Page.getNavigationHistory", nil, &history); err != nil {
			return err
		}
		if history.CurrentIndex < 1 || history.CurrentIndex > len(history.Entries) {
			return &tool.Error{Kind: tool.Failed, Text: "There is no earlier page."}
		}
		if err := t.call(ctx, "Page.navigateToHistoryEntry", map[string]any{"entryId": history.Entries[history.CurrentIndex-1].ID}, nil); err != nil {
			return err
		}
		return b.after(ctx, t, r)
	})
}

// after shows the page after an action.
func (b *Browser) after(ctx context.Context, t *tab, r *tool.Reply) error {
	t.settle(ctx, 250*time.Millisecond, 5*time.Second)
	t.mu.Lock()
	d := t.dialog
	t.mu.Unlock()
	if d != nil {
		fmt.Fprintf(r, "The page opened a dialog (%s): %q. Answer it with browser_handle_dialog.\n", d.Type, shorter(d.Message, 500))
		return nil
	}
	if open, err := t.r.tab(ctx); err == nil && open != t {
		r.Note("the page opened a new tab; it is shown. browser_tabs leads back")
		if err := open.prepare(ctx); err != nil {
			return err
		}
		open.settle(ctx, 250*time.Millisecond, 5*time.Second)
		t = open
	}
	return b.shown(ctx, t, 0, afterBytes, r)
}

// act does something with an element and shows the page afterwards. A dialog that opens meanwhile is no failure.
func (b *Browser) act(ctx context.Context, target string, r *tool.Reply, work func(context.Context, *tab, int64) error) error {
	return b.do(ctx, b.limits.act, func(ctx context.Context, t *tab) error {
		if t.isOpen() {
			return errDialog
		}
		backend := int64(0)
		if target != "" {
			var err error
			if backend, err = t.resolve(ctx, target); err != nil {
				return err
			}
		}
		if err := work(ctx, t, backend); err != nil && err != errDialog {
			return err
		}
		return b.after(ctx, t, r)
	})
}

func (t *tab) isOpen() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.dialog != nil
}

type clickArgs struct {
	Element     string   `json:"element,omitempty" jsonschema:"what it is, in words, for the user"`
	Target      string   `json:"target" jsonschema:"a reference of the snapshot (e12), or a CSS selector" minLength:"1"`
	DoubleClick bool     `json:"doubleClick,omitempty"`
	Button      string   `json:"button,omitempty" enum:"left,right,middle" default:"left"`
	Modifiers   []string `json:"modifiers,omitempty" jsonschema:"keys to hold: Alt, Control, Meta, Shift"`
}

func (b *Browser) click(ctx context.Context, in clickArgs, r *tool.Reply) error {
	held := 0
	for _, name := range in.Modifiers {
		held |= modifiers()[name]
	}
	clicks, button := 1, in.Button
	if in.DoubleClick {
		clicks = 2
	}
	if button == "" {
		button = "left"
	}
	return b.act(ctx, in.Target, r, func(ctx context.Context, t *tab, backend int64) error {
		x, y, err := t.point(ctx, backend, in.Target)
		if err != nil {
			return err
		}
		return t.mouse(ctx, x, y, button, clicks, held)
	})
}

type hoverArgs struct {
	Element string `json:"element,omitempty" jsonschema:"what it is, in words, for the user"`
	Target  string `json:"target" jsonschema:"a reference of the snapshot (e12), or a CSS selector" minLength:"1"`
}

func (b *Browser) hover(ctx context.Context, in hoverArgs, r *tool.Reply) error {
	return b.act(ctx, in.Target, r, func(ctx context.Context, t *tab, backend int64) error {
		x, y, err := t.point(ctx, backend, in.Target)
		if err != nil {
			return err
		}
		return t.mouse(ctx, x, y, "none", 0, 0)
	})
}

type typeArgs struct {
	Element string `json:"element,omitempty" jsonschema:"what it is, in words, for the user"`
	Target  string `json:"target" jsonschema:"a reference of the snapshot (e12), or a CSS selector" minLength:"1"`
	Text    string `json:"text" jsonschema:"replaces what the field has" maxLength:"65536"`
	Submit  bool   `json:"submit,omitempty" jsonschema:"press Enter afterwards"`
	Slowly  bool   `json:"slowly,omitempty" jsonschema:"key by key, for fields that react to each"`
}

func (b *Browser) typeText(ctx context.Context, in typeArgs, r *tool.Reply) error {
	return b.act(ctx, in.Target, r, func(ctx context.Context, t *tab, backend int64) error {
		if err := t.enter(ctx, backend, in.Target, in.Text, in.Slowly); err != nil {
			return err
		}
		if in.Submit {
			return t.press(ctx, "Enter")
		}
		return nil
	})
}

// field selects what a field has. It returns what the element is where it takes no text.
const field = `function() {
	const kind = (this.type || "").toLowerCase();
	const text = this.isContentEditable || this.tagName === "TEXTAREA" || this.tagName === "INPUT" && !["checkbox","radio","button","submit","reset","file","image","color","range"].includes(kind);
	if (!text) return this.tagName.toLowerCase() + (kind ? " (" + kind + ")" : "");
	if (this.disabled || this.readOnly) return "field that cannot be changed";
	this.focus();
	if (this.select) this.select(); else getSelection().selectAllChildren(this);
	return "";
}`

// special sets the fields that are not typed into: dates, times, colours.
const special = `function(value) {
	if (!["date","time","datetime-local","month","week"].includes((this.type || "").toLowerCase())) return false;
	this.value = value;
	this.dispatchEvent(new Event("input", {bubbles: true}));
	this.dispatchEvent(new Event("change", {bubbles: true}));
	return true;
}`

// enter replaces the text of a field.
func (t *tab) enter(ctx context.Context, backend int64, name, text string, slowly bool) error {
	if err := t.call(ctx, "DOM.scrollIntoViewIfNeeded", map[string]any{"backendNodeId": backend}, nil); err != nil {
		return hidden(name, gone(err))
	}
	var other string
	if err := t.on(ctx, backend, field, &other); err != nil {
		return err
	}
	if other != "" {
		return &tool.Error{Kind: tool.BadArguments, Text: fmt.Sprintf("%s takes no text: it is a %s.", name, other), Hint: "Use browser_click, or browser_select_option for a list."}
	}
	var done bool
	if err := t.on(ctx, backend, special, &done, text); err != nil || done {
		return err
	}
	if text == "" {
		return t.press(ctx, "Delete")
	}
	if !slowly {
		return t.call(ctx, "Input.insertText", map[string]any{"text": text}, nil)
	}
	for _, c := range text {
		name := string(c)
		if c == '\n' {
			name = "Enter"
		}
		if err := t.press(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

type pressArgs struct {
	Key string `json:"key" jsonschema:"such as Enter, Escape, ArrowDown, a, Control+a" minLength:"1" maxLength:"40"`
}

func (b *Browser) pressKey(ctx context.Context, in pressArgs, r *tool.Reply) error {
	return b.act(ctx, "", r, func(ctx context.Context, t *tab, _ int64) error { return t.press(ctx, in.Key) })
}

type selectArgs struct {
	Element string   `json:"element,omitempty" jsonschema:"what it is, in words, for the user"`
	Target  string   `json:"target" jsonschema:"a reference of the snapshot (e12), or a CSS selector" minLength:"1"`
	Values  []string `json:"values" jsonschema:"texts or values of the options" minItems:"1" maxItems:"100"`
}

// choose sets the options of a list. It returns the texts of all options where one is not there.
const choose = `function(values) {
	if (this.tagName !== "SELECT") return {other: this.tagName.toLowerCase()};
	const all = [...this.options], wanted = [];
	for (const v of values) {
		const o = all.find(o => o.text.trim() === v) || all.find(o => o.value === v) || all.find(o => o.text.trim().toLowerCase() === v.toLowerCase());
		if (!o) return {missing: v, all: all.slice(0, 40).map(o => o.text.trim().slice(0, 80))};
		wanted.push(o);
	}
	if (!this.multiple && wanted.length > 1) return {other: "list that takes one option"};
	for (const o of all) o.selected = wanted.includes(o);
	this.dispatchEvent(new Event("input", {bubbles: true}));
	this.dispatchEvent(new Event("change", {bubbles: true}));
	return {};
}`

// pick chooses options of a list.
func (t *tab) pick(ctx context.Context, backend int64, name string, values []string) error {
	var got struct {
		Other, Missing string
		All            []string
	}
	if err := t.on(ctx, backend, choose, &got, values); err != nil {
		return err
	}
	switch {
	case got.Other != "":
		return &tool.Error{Kind: tool.BadArguments, Text: fmt.Sprintf("%s is a %s, no list.", name, got.Other), Hint: "Use browser_click."}
	case got.Missing != "":
		return &tool.Error{Kind: tool.NotFound, Text: fmt.Sprintf("There is no option %q.", got.Missing), Hint: "The options: " + strings.Join(got.All, ", ")}
	}
	return nil
}

func (b *Browser) selectOption(ctx context.Context, in selectArgs, r *tool.Reply) error {
	return b.act(ctx, in.Target, r, func(ctx context.Context, t *tab, backend int64) error {
		return t.pick(ctx, backend, in.Target, in.Values)
	})
}

type fillArgs struct {
	Fields []fillField `json:"fields" minItems:"1" maxItems:"50"`
}

type fillField struct {
	Target string `json:"target" jsonschema:"a reference of the snapshot (e12), or a CSS selector" minLength:"1"`
	Name   string `json:"name,omitempty" jsonschema:"what it is, in words, for the user"`
	Type   string `json:"type" enum:"textbox,checkbox,radio,combobox,slider"`
	Value  string `json:"value" jsonschema:"text, or true or false for a checkbox, or the text of an option" maxLength:"65536"`
}

const (
	isChecked = `function() { return !!(this.checked ?? (this.getAttribute("aria-checked") === "true")) }`
	slide     = `function(v) { this.value = v; this.dispatchEvent(new Event("input", {bubbles: true})); this.dispatchEvent(new Event("change", {bubbles: true})) }`
)

func (b *Browser) fillForm(ctx context.Context, in fillArgs, r *tool.Reply) error {
	return b.act(ctx, "", r, func(ctx context.Context, t *tab, _ int64) error {
		for i, f := range in.Fields {
			if err := t.fill(ctx, f); err != nil {
				e := *tool.AsError(err)
				e.Text = fmt.Sprintf("Field %d of %d (%s) was not filled, and those after it neither: %s", i+1, len(in.Fields), f.Target, e.Text)
				return &e
			}
		}
		return nil
	})
}

func (t *tab) fill(ctx context.Context, f fillField) error {
	backend, err := t.resolve(ctx, f.Target)
	if err != nil {
		return err
	}
	switch f.Type {
	case "combobox":
		return t.pick(ctx, backend, f.Target, []string{f.Value})
	case "slider":
		return t.on(ctx, backend, slide, nil, f.Value)
	case "checkbox", "radio":
		var checked bool
		if err := t.on(ctx, backend, isChecked, &checked); err != nil || checked == (f.Value == "true") {
			return err
		}
		x, y, err := t.point(ctx, backend, f.Target)
		if err != nil {
			return err
		}
		return t.mouse(ctx, x, y, "left", 1, 0)
	}
	return t.enter(ctx, backend, f.Target, f.Value, false)
}
