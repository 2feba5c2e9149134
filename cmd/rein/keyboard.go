package main

import (
	"bytes"
	"context"
	"os"
)

// keySource are the bytes that a person types, one at a time.
type keySource interface {
	// Key waits for the next byte. It fails when ctx ends, with its cause, and at the end of the input.
	Key(ctx context.Context) (byte, error)
	// Close gives the terminal its former state back.
	Close() error
}

// keyboardInput is the terminal that a person types at. It keeps what was typed and not read yet. One goroutine may use it at
// a time.
type keyboardInput struct {
	keyboardSource
	unread []byte
	saved  []byte // typed before an approval request: text for the next prompt, without its Enter
	quiet  bool
}

// newKeyboard returns the keyboard of the terminal in.
func newKeyboard(in *os.File) *keyboardInput {
	return &keyboardInput{keyboardSource: keyboardSource{in: in}}
}

// Keys lets the program read single keys, Ctrl-C among them, without echo, until the keys are closed.
func (k *keyboardInput) Keys() (keySource, error) {
	restore, err := k.setMode(false)
	if err != nil {
		return nil, err
	}
	return singleKeys{k, restore}, nil
}

// Quiet makes the terminal not echo what is typed while the program works. Ctrl-C still interrupts the program. restore
// gives the terminal its former state back.
func (k *keyboardInput) Quiet() (restore func() error, err error) {
	back, err := k.setMode(true)
	if err != nil {
		return nil, err
	}
	k.quiet = true
	return func() error {
		k.quiet = false
		return back()
	}, nil
}

// Save takes all that was typed and not read yet, and keeps its text for the next prompt. It reports whether there was
// any text. Keys must be open.
func (k *keyboardInput) Save() bool {
	text := append(k.unread, k.available()...)
	k.unread = nil
	return k.Keep(text)
}

// Keep keeps the text of keys for the next prompt, and reports whether they have any.
func (k *keyboardInput) Keep(keys []byte) bool {
	text := typedText(keys)
	k.saved = append(k.saved, text...)
	return len(text) > 0
}

// IsQuiet reports whether Quiet is in force.
func (k *keyboardInput) IsQuiet() bool { return k.quiet }

// Saved returns the text that Save kept, once.
func (k *keyboardInput) Saved() string {
	text := string(k.saved)
	k.saved = nil
	return text
}

// singleKeys is a keyboard whose single keys are read.
type singleKeys struct {
	keyboard *keyboardInput
	restore  func() error
}

// Key returns the next byte.
func (t singleKeys) Key(ctx context.Context) (byte, error) {
	k := t.keyboard
	if len(k.unread) == 0 {
		read, err := k.wait(ctx)
		if err != nil {
			return 0, err
		}
		k.unread = read
	}
	key := k.unread[0]
	k.unread = k.unread[1:]
	return key, nil
}

// Close ends the reading of single keys.
func (t singleKeys) Close() error { return t.restore() }

// typedText is what typed bytes say: without control keys, escape sequences and the marks of a paste.
func typedText(typed []byte) []byte {
	var text []byte
	for len(typed) > 0 {
		if n := sequence(typed); n > 0 {
			typed = typed[n:]
			continue
		}
		switch b := typed[0]; {
		case b == '\r' || b == '\n' || b == '\t':
			text = append(text, ' ')
		case b == backspace || b == '\b':
			_, text = lastRune(text)
		case b >= ' ':
			text = append(text, b)
		}
		typed = typed[1:]
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return nil
	}
	return text
}
