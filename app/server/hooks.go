package server

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"rein/app/server/api"
	"rein/app/settings"
	"rein/event"
)

// openHooks prepares the webhooks of the settings. Their hosts are reached as the network settings allow.
func (c *configuration) openHooks(set settings.Server) (webhookOptions, error) {
	o := webhookOptions{Dir: filepath.Join(c.o.Dir, "webhooks"), Log: c.o.Log}
	for _, w := range set.Webhooks {
		client, err := c.rooms.all[0].newest().ClientTo(w.URL)
		if err != nil {
			return o, fmt.Errorf("server.webhooks: %w", err)
		}
		h := webhook{URL: w.URL, Kinds: w.On, Dirs: w.Dirs, Client: client, Answer: c.linkFor(set, w, hostOf(w.URL))}
		if w.KeyEnv != "" {
			if h.Key = os.Getenv(w.KeyEnv); h.Key == "" {
				return o, fmt.Errorf("server.webhooks: the environment variable %s is not set", w.KeyEnv)
			}
		}
		o.Hooks = append(o.Hooks, h)
	}
	return o, nil
}

// tell sends a message to the webhooks. Its texts hold no secret.
func (c *configuration) tell(m webhookMessage) {
	c.sending.RLock()
	defer c.sending.RUnlock()
	now := c.now.Load()
	if len(now.settings.Webhooks) == 0 {
		return
	}
	m.Title, m.Text = c.rooms.masked(m.Title), c.rooms.masked(m.Text)
	if base := now.settings.URL; base != "" {
		m.Link = strings.TrimRight(base, "/") + "/s/" + url.PathEscape(m.Session)
	}
	if err := now.hooks.Send(m); err != nil {
		c.o.Log.Error("webhooks", "error", err)
	}
}

// tellNew tells the webhooks of requests that were not in the list before.
func (c *configuration) tellNew(w *servedWorkspace, before, now []api.Request) {
	known := map[string]bool{}
	for _, r := range before {
		known[r.Session+r.Call+r.Hash] = true
	}
	for _, r := range now {
		if !known[r.Session+r.Call+r.Hash] {
			c.tell(webhookMessage{ID: newID(webhookRequest, r.Session, r.Call, r.Hash), Kind: webhookRequest, Time: r.Time, Dir: w.dir, Session: r.Root,
				Title: r.Title, Text: strings.Join(r.Lines, "\n"), Data: map[string]any{"session": r.Session, "call": r.Call, "hash": r.Hash, "tool": r.Tool, "high_risk": r.High}})
		}
	}
}

// tellAnswer tells the webhooks who has answered, or why a request no longer holds.
func (c *configuration) tellAnswer(l *live, e event.Event) {
	m := webhookMessage{ID: newID(webhookAnswered, e.Session, fmt.Sprint(e.Seq)), Kind: webhookAnswered, Time: e.Time, Dir: l.room.dir, Session: l.id,
		Data: map[string]any{"session": e.Session, "call": e.Call.ID, "answer": e.Answer, "void": e.Reason}}
	if m.Text = e.Text; e.Answer != nil {
		m.Text = map[bool]string{true: "approved", false: "denied"}[e.Kind == event.Granted] + " by " + e.Answer.By
	}
	c.tell(m)
}

// tellEnd tells the webhooks that a turn of the user's session has ended.
func (c *configuration) tellEnd(l *live, title string, e event.Event) {
	if e.Stop == event.Waiting {
		return // the request was sent
	}
	c.tell(webhookMessage{ID: newID(webhookEnd, e.Session, fmt.Sprint(e.Seq)), Kind: webhookEnd, Time: time.Now(), Dir: l.room.dir, Session: l.id,
		Title: title, Text: e.Text, Data: map[string]any{"stop": e.Stop}})
}

// linkFor returns the function that makes a one-time link to a message about a request; nil where the webhook gets none.
func (c *configuration) linkFor(set settings.Server, w settings.Webhook, host string) func(webhookMessage) string {
	if w.AnswerLinks == 0 {
		return nil
	}
	return func(m webhookMessage) string {
		data, ok := m.Data.(map[string]any)
		if m.Kind != webhookRequest || !ok {
			return ""
		}
		text := func(name string) string { v, _ := data[name].(string); return v }
		token, err := c.links.New(linkTarget{Dir: m.Dir, Session: text("session"), Call: text("call"), Hash: text("hash"), For: host, Expires: time.Now().Add(time.Duration(w.AnswerLinks))})
		if err != nil {
			c.o.Log.Error("a link to answer a request", "error", err)
			return ""
		}
		return strings.TrimRight(set.URL, "/") + "/answer/" + token
	}
}
