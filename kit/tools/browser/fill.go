package browser

import (
	"context"
	"fmt"
	"strings"

	"rein/tool"
)

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
		return &tool.Error{Kind: tool.BadArguments, Text: fmt.Sprintf("%s is a %s, not a list.", name, got.Other), Hint: "Use browser_click."}
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
				e.Text = fmt.Sprintf("Field %d of %d (%s) was not filled, nor were those after it: %s", i+1, len(in.Fields), f.Target, e.Text)
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
