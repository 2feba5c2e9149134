package browser

import (
	"slices"
	"testing"

	"rein/kit/sandbox"
)

// Names of tools are part of rules: package settings lists them.
func TestNames(t *testing.T) {
	want := map[string]bool{"navigate": true, "navigate_back": true, "click": true, "type": true, "fill_form": true, "select_option": true, "press_key": true,
		"hover": true, "handle_dialog": true, "snapshot": true, "find": true, "take_screenshot": true, "wait_for": true, "tabs": true,
		"console_messages": true, "network_requests": true, "close": true, "evaluate": true, "file_upload": true}
	for _, tl := range New(Options{Box: sandbox.None{}, File: func(path string) (string, error) { return path, nil }}).tools() {
		if !want[tl.Name[len("browser_"):]] {
			t.Errorf("%s is not listed", tl.Name)
		}
		delete(want, tl.Name[len("browser_"):])
	}
	if len(want) > 0 {
		t.Errorf("missing: %v", want)
	}
}

// An empty page contacts nobody, and says so: guards ask about calls that declare nothing.
func TestAnEmptyPageContactsNobody(t *testing.T) {
	i, err := New(Options{}).navigateIntent(navigateArgs{URL: "about:blank"})
	if err != nil || !slices.Equal(i.Hosts, []string{OwnHost}) {
		t.Errorf("got %+v, %v", i, err)
	}
}
