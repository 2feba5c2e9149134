package browser

import (
	"context"
	"fmt"
	"time"

	"rein/tool"
)

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
