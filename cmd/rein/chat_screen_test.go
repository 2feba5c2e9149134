package main

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"rein/app/harness"
	"rein/app/session"
	"rein/app/tui"
)

// Who leaves without a message leaves no session behind; one with a message or a name stays.
func TestAChatWithoutAMessageLeavesNoSession(t *testing.T) {
	h := scriptedHarness(t)
	for _, row := range []struct {
		message, name string
		open, stays   bool
	}{{}, {message: "hello", stays: true}, {name: "mine", stays: true}, {open: true, stays: true}} {
		s, err := h.Start(t.Context(), harness.NewSession{})
		if err != nil {
			t.Fatal(err)
		}
		if row.message != "" {
			for _, err := range s.Send(t.Context(), harness.Message(row.message)...) {
				if err != nil {
					t.Fatal(err)
				}
			}
		}
		if row.name != "" {
			if err := h.Store().SetName(s.ID(), row.name); err != nil {
				t.Fatal(err)
			}
		}
		if !row.open {
			if err := s.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		deleteEmpty(h.Store(), s.ID())
		if _, err := h.Store().Get(s.ID()); (err == nil) != row.stays {
			t.Errorf("%+v: %v", row, err)
		}
		if row.open {
			_ = s.Close(context.Background())
		}
	}
}

// A session whose model a flag named is continued without the flag: where no model is found, a new one has the same.
func TestANewSessionWhereNoModelIsFound(t *testing.T) {
	t.Setenv("REIN_HOME", t.TempDir())
	for _, name := range []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "GEMINI_API_KEY", "GOOGLE_API_KEY", "OPENROUTER_API_KEY", "OPENAI_API_KEY"} {
		t.Setenv(name, "")
	}
	for _, name := range []string{"OLLAMA_HOST", "LMSTUDIO_BASE_URL", "LLAMACPP_BASE_URL", "VLLM_BASE_URL"} {
		t.Setenv(name, "http://127.0.0.1:1")
	}
	file := filepath.Join(t.TempDir(), "script.yaml")
	if err := os.WriteFile(file, []byte("turns: [{text: hello}]"), 0o600); err != nil {
		t.Fatal(err)
	}
	h, err := harness.Open(t.Context(), harness.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close(context.Background()) })
	p := &sharedPlace{Place: session.LocalPlace(h), h: h, person: tui.NewPerson()}
	if _, err := p.Start(t.Context()); err == nil {
		t.Errorf("without a session before: %v", err)
	}
	before, err := p.hosted(harness.NewSession{ModelName: "script/" + file}, func(n harness.NewSession) (*harness.Session, error) { return h.Start(t.Context(), n) })
	if err != nil {
		t.Fatal(err)
	}
	defer before.Close(context.Background())
	s, err := p.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(context.Background())
	if got := p.host.s.Terms().Model; got != "script/"+file || s.ID() == before.ID() {
		t.Errorf("the new session %s has the model %q", s.ID(), got)
	}
}

// A session that /clear leaves without a message is not kept either; one whose id was given is.
func TestAClearedSessionWithoutAMessageIsNotKept(t *testing.T) {
	h := scriptedHarness(t)
	for _, id := range []string{"", "given"} {
		s, err := hostSession(h, tui.NewPerson(), harness.NewSession{ID: id}, func(n harness.NewSession) (*harness.Session, error) { return h.Start(t.Context(), n) })
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := h.Store().Get(s.ID()); (err == nil) != (id != "") {
			t.Errorf("%q: %v", id, err)
		}
	}
}

// scriptedHarness is one in a home of its own, with a model that says hello.
func scriptedHarness(t *testing.T) *harness.Harness {
	t.Helper()
	t.Setenv("REIN_HOME", t.TempDir())
	file := filepath.Join(t.TempDir(), "script.yaml")
	if err := os.WriteFile(file, []byte("turns: [{text: hello}]"), 0o600); err != nil {
		t.Fatal(err)
	}
	h, err := harness.Open(t.Context(), harness.Options{Dir: t.TempDir(), Terms: harness.Terms{Model: "script/" + file}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close(context.Background()) })
	return h
}
