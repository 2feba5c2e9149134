package server

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"rein/event"
	"rein/tool"
)

func TestWholeOpensOutputsOfTheirSessionOnly(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"mine-1", "other-1"} {
		if err := os.WriteFile(filepath.Join(dir, name+".txt"), []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	events := func(yield func(event.Event, error) bool) {
		for call, ref := range map[string]string{"own": "output://mine-1", "foreign": "output://other-1", "gone": "output://mine-2", "path": "output://mine-1/../../x"} {
			if !yield(event.Event{Kind: event.Replied, Call: &tool.Call{ID: call}, Result: &tool.Result{Cut: &tool.Cut{Ref: ref}}}, nil) {
				return
			}
		}
		yield(event.Event{Kind: event.Replied, Call: &tool.Call{ID: "short"}, Result: &tool.Result{}}, nil)
	}
	f, err := openWhole(dir, "mine", events, "own")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if text, err := io.ReadAll(f); err != nil || string(text) != "mine-1" {
		t.Errorf("%q, %v", text, err)
	}
	for _, call := range []string{"foreign", "gone", "path", "short", "none"} {
		if f, err := openWhole(dir, "mine", events, call); !errors.Is(err, errNotKept) {
			t.Errorf("%s: %v, %v", call, f, err)
		}
	}
}
