package harness

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rein/event"
	"rein/model"
	"rein/tool"
)

// tokens estimates what tools and prompt take in a request: JSON and English have 3.5 bytes in a token.
func tokens(r *model.Request) (n int) {
	for _, t := range r.Tools {
		n += (len(t.Name)+len(t.Description)+len(t.Schema))*2/7 + 10
	}
	return n + len(r.System)*2/7
}

// requested sends a message and returns the requests for it.
func requested(t *testing.T, s *Session, m *wordy, text string) []*model.Request {
	t.Helper()
	before := len(m.requests)
	for _, err := range s.Send(t.Context(), Message(text)...) {
		if err != nil {
			t.Fatal(err)
		}
	}
	return m.requests[before:]
}

func toolNames(r *model.Request) (names []string) {
	for _, t := range r.Tools {
		names = append(names, t.Name)
	}
	return names
}

// onMachine is a machine on which these programs are installed and no others, and without a screen: tools are offered by what is
// installed. No program does anything. A browser is also found outside of PATH: a test leaves its tools out where they matter.
func onMachine(t *testing.T, programs ...string) {
	t.Helper()
	dir := t.TempDir()
	for _, name := range programs {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\nexit 1\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, value := range map[string]string{"PATH": dir, "DISPLAY": "", "WAYLAND_DISPLAY": ""} {
		t.Setenv(name, value)
	}
}

// TestARequestIsSmall bounds what a request takes before the first word of the user, with all built-in tools.
func TestARequestIsSmall(t *testing.T) {
	onMachine(t, "git", "gopls", "ffmpeg", "ffprobe", "chromium", "python3", "go", "node", "tsx", "bash")
	h := openFresh(t, Options{Dir: t.TempDir()})
	m := &wordy{answer: "fine"}
	s, err := h.Start(t.Context(), NewSession{Model: m})
	if err != nil {
		t.Fatal(err)
	}
	r := requested(t, s, m, "hi")[0]
	t.Logf("%d tools, %d tokens", len(r.Tools), tokens(r))
	for _, tl := range r.Tools {
		t.Logf("%5d %s", (len(tl.Name)+len(tl.Description)+len(tl.Schema))*2/7+10, tl.Name)
	}
	if n := tokens(r); n > 6000 {
		t.Errorf("tools and prompt take %d tokens, at most 6000", n)
	}
}

// TestRareToolsAreFound: a model finds them, and sees them behind the others from then on, also when the session continues. It may
// call them without a search.
func TestRareToolsAreFound(t *testing.T) {
	onMachine(t, "git")
	installLanguageServer(t) // for lsp_edit
	h := openFresh(t, Options{Dir: t.TempDir(), Terms: event.Terms{Offer: []string{"-browser_*"}}})
	m := &wordy{answer: "fine", calls: []string{"token_usage"}}
	s, err := h.Start(t.Context(), NewSession{Model: m})
	if err != nil {
		t.Fatal(err)
	}
	r := requested(t, s, m, "how much?")
	if last := r[len(r)-1]; slices.Contains(toolNames(last), "token_usage") || !slices.Contains(toolNames(last), searchName) {
		t.Errorf("shown before the search: %v", toolNames(last))
	}
	if got := r[len(r)-1].Messages; !strings.Contains(got[len(got)-1].Parts[0].Text, "tokens") {
		t.Errorf("a call without a search gives %+v", got[len(got)-1].Parts)
	}
	base := toolNames(r[0])
	catalog := s.Tools().Source().Get(searchName)
	reply := tool.NewReply(tool.ReplyOptions{})
	if err := catalog.Run(t.Context(), []byte(`{"query":"compute the square root of a number","names":["git_log"]}`), reply); err != nil {
		t.Fatal(err)
	}
	if text, _, _, _ := reply.Close(); !strings.Contains(text, "- calculate: ") || !strings.Contains(text, "- git_log: ") {
		t.Errorf("found: %s", text)
	}
	r = requested(t, s, m, "go on")
	now := toolNames(r[0])
	if !slices.Equal(now[:len(base)], base) || !slices.Contains(now[len(base):], "git_log") || !slices.Contains(now[len(base):], "calculate") {
		t.Errorf("after the search: %v behind %v", now[len(base):], base)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s, err = h.Resume(t.Context(), s.ID(), NewSession{Model: m}); err != nil {
		t.Fatal(err)
	}
	if again := toolNames(requested(t, s, m, "and again")[0]); !slices.Equal(again, now) {
		t.Errorf("a resumed session sends %v", again[len(base):])
	}
}

// TestWhoChoosesToolsSeesThem: what the user names is shown from the start, and so is everything where tool search is off.
func TestWhoChoosesToolsSeesThem(t *testing.T) {
	onMachine(t, "git")
	for name, c := range map[string]struct {
		o     Options
		shown string
		not   string
	}{
		"named tools":   {Options{Terms: event.Terms{Offer: []string{"read_file", "memory_*"}}}, "memory_store", searchName},
		"one left out":  {Options{Terms: event.Terms{Offer: []string{"-git_log"}}}, searchName, "git_status"},
		"search is off": {Options{Terms: event.Terms{Offer: []string{"-" + searchName}}}, "git_log", searchName},
	} {
		t.Run(name, func(t *testing.T) {
			c.o.Dir = t.TempDir()
			h := openFresh(t, c.o)
			m := &wordy{answer: "fine"}
			s, err := h.Start(t.Context(), NewSession{Model: m})
			if err != nil {
				t.Fatal(err)
			}
			if names := toolNames(requested(t, s, m, "hi")[0]); !slices.Contains(names, c.shown) || slices.Contains(names, c.not) {
				t.Errorf("shown: %v", names)
			}
		})
	}
}

// A name that no tool has is said: a session without any tool looks as if it had them.
func TestAToolThatIsNotThereIsNamed(t *testing.T) {
	var said []string
	h := openFresh(t, Options{Dir: t.TempDir(), Warn: func(line string) { said = append(said, line) }, Terms: event.Terms{Offer: []string{"nope", "-grpe", "memory_*", "mcp__x__y", "read_file"}}})
	if _, err := h.Start(t.Context(), NewSession{Model: &wordy{answer: "fine"}}); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(said, "\n"); strings.Count(got, "no tool has the name") != 2 || !strings.Contains(got, `"nope"`) || !strings.Contains(got, `"grpe"`) {
		t.Error(got)
	}
}
