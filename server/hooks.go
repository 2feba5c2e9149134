package server

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"rein/event"
	"rein/harness/settings"
	"rein/server/api"
	"rein/server/webhook"
)

// openHooks prepares the webhooks of the settings. Their hosts are reached as the network settings allow.
func (s *Server) openHooks(set settings.Server) (webhook.Options, error) {
	o := webhook.Options{Dir: filepath.Join(s.o.Dir, "webhooks"), Log: s.o.Log}
	for _, w := range set.Webhooks {
		client, err := s.rooms[0].newest().ClientTo(w.URL)
		if err != nil {
			return o, fmt.Errorf("server.webhooks: %w", err)
		}
		h := webhook.Hook{URL: w.URL, Kinds: w.On, Dirs: w.Dirs, Client: client, Answer: s.linkFor(set, w, webhook.HostOf(w.URL))}
		if w.KeyEnv != "" {
			if h.Key = os.Getenv(w.KeyEnv); h.Key == "" {
				return o, fmt.Errorf("server.webhooks: the environment variable %s is not set", w.KeyEnv)
			}
		}
		o.Hooks = append(o.Hooks, h)
	}
	return o, nil
}

// tellHooks sends a message to the webhooks. Its texts hold no secret.
func (s *Server) tellHooks(m webhook.Message) {
	s.telling.RLock()
	defer s.telling.RUnlock()
	now := s.now.Load()
	if len(now.settings.Webhooks) == 0 {
		return
	}
	m.Title, m.Text = string(s.mask([]byte(m.Title))), string(s.mask([]byte(m.Text)))
	if base := now.settings.URL; base != "" {
		m.Link = strings.TrimRight(base, "/") + "/s/" + url.PathEscape(m.Session)
	}
	if err := now.hooks.Send(m); err != nil {
		s.o.Log.Error("webhooks", "error", err)
	}
}

// tellNew tells the webhooks of requests that were not in the list before.
func (s *Server) tellNew(w *workspace, before, now []api.Request) {
	known := map[string]bool{}
	for _, r := range before {
		known[r.Session+r.Call+r.Hash] = true
	}
	for _, r := range now {
		if !known[r.Session+r.Call+r.Hash] {
			s.tellHooks(webhook.Message{ID: webhook.NewID(webhook.Request, r.Session, r.Call, r.Hash), Kind: webhook.Request, Time: r.Time, Dir: w.dir, Session: r.Root,
				Title: r.Title, Text: strings.Join(r.Lines, "\n"), Data: map[string]any{"session": r.Session, "call": r.Call, "hash": r.Hash, "tool": r.Tool, "high_risk": r.High}})
		}
	}
}

// tellAnswer tells the webhooks who has answered, or why a request no longer holds.
func (s *Server) tellAnswer(l *live, e event.Event) {
	m := webhook.Message{ID: webhook.NewID(webhook.Answered, e.Session, fmt.Sprint(e.Seq)), Kind: webhook.Answered, Time: e.Time, Dir: l.room.dir, Session: l.id,
		Data: map[string]any{"session": e.Session, "call": e.Call.ID, "answer": e.Answer, "void": e.Reason}}
	if m.Text = e.Text; e.Answer != nil {
		m.Text = map[bool]string{true: "approved", false: "denied"}[e.Kind == event.Granted] + " by " + e.Answer.By
	}
	s.tellHooks(m)
}

// tellEnd tells the webhooks that a turn of the user's session has ended.
func (s *Server) tellEnd(l *live, title string, e event.Event) {
	if e.Stop == event.Waiting {
		return // the request was sent
	}
	s.tellHooks(webhook.Message{ID: webhook.NewID(webhook.End, e.Session, fmt.Sprint(e.Seq)), Kind: webhook.End, Time: time.Now(), Dir: l.room.dir, Session: l.id,
		Title: title, Text: e.Text, Data: map[string]any{"stop": e.Stop}})
}
