package server

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"rein/harness/inbox"
	"rein/harness/settings"
	"rein/server/api"
	"rein/server/auth"
	"rein/server/link"
	"rein/server/signin"
	"rein/server/webhook"
)

// linkFor returns the function that makes a one-time link to a message about a request; nil where the webhook gets none.
func (s *Server) linkFor(set settings.Server, w settings.Webhook, host string) func(webhook.Message) string {
	if w.AnswerLinks == 0 {
		return nil
	}
	return func(m webhook.Message) string {
		data, ok := m.Data.(map[string]any)
		if m.Kind != webhook.Request || !ok {
			return ""
		}
		text := func(name string) string { v, _ := data[name].(string); return v }
		token, err := s.links.New(link.Target{Dir: m.Dir, Session: text("session"), Call: text("call"), Hash: text("hash"), For: host, Expires: time.Now().Add(time.Duration(w.AnswerLinks))})
		if err != nil {
			s.o.Log.Error("a link to answer a request", "error", err)
			return ""
		}
		return strings.TrimRight(set.URL, "/") + "/answer/" + token
	}
}

// linked finds the request of a link as it is now.
func (s *Server) linked(t link.Target) (signin.Client, link.View, error) {
	c := signin.Client{User: auth.User{Name: "link@" + t.For, Role: auth.Approver, Workspaces: []string{t.Dir}}, Through: "link", Face: "link"}
	w, r, err := s.pendingRequest(c.User, t.Session, t.Call)
	if err != nil {
		return c, link.View{State: "gone"}, err
	}
	if r.Hash != t.Hash {
		return c, link.View{State: "changed"}, inbox.ErrChanged
	}
	v := link.View{Dir: w.dir, High: api.HighRisk(r), Approve: r.Intent.Questions == nil, Hash: r.Hash}
	for _, l := range r.Lines {
		v.Lines = append(v.Lines, string(s.mask([]byte(l))))
	}
	if root, err := s.rootOf(w, r); err == nil {
		v.Title = string(s.mask([]byte(root.Title)))
	}
	return c, v, nil
}

// showLinked shows the request of a link. It answers nothing, whatever opens it: a person, a preview of a chat, a mail scanner.
func (s *Server) showLinked(w http.ResponseWriter, r *http.Request) {
	v := link.View{State: "gone"}
	if t, err := s.links.Get(r.PathValue("token")); err == nil {
		_, v, _ = s.linked(t) // the view says what is wrong
	}
	v.Write(w, r)
}

// answerLinked answers the request of a link, once: approved for this call, or denied.
func (s *Server) answerLinked(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		link.View{State: "failed"}.Write(w, r)
		return
	}
	a := api.Answer{Choice: r.PostForm.Get("choice"), Hash: r.PostForm.Get("hash"), Words: r.PostForm.Get("words")}
	link.View{State: s.useLink(r.Context(), s.checks().Address(r), r.PathValue("token"), a)}.Write(w, r)
}

func (s *Server) useLink(ctx context.Context, address, token string, a api.Answer) (state string) {
	t, err := s.links.Get(token)
	if err != nil {
		return "gone"
	}
	c, v, err := s.linked(t)
	switch {
	case err != nil:
		return v.State
	case a.Hash != t.Hash || a.Choice != "denied" && (a.Choice != "approved" || !v.Approve):
		return "failed"
	}
	if _, err := s.links.Use(token); errors.Is(err, link.ErrNone) {
		return "gone"
	}
	c.Address = address
	if a.Words = a.Words[:min(len(a.Words), 2000)]; a.Choice == "approved" {
		a.Words = ""
	}
	out, err := s.answer(ctx, c, t.Session, t.Call, api.Answer{Choice: a.Choice, Hash: t.Hash, Words: strings.ToValidUTF8(a.Words, "")})
	switch {
	case err != nil:
		s.o.Log.Warn("an answer by a link", "error", err)
		return "failed"
	case !out.Mine:
		return "gone"
	}
	return "done"
}
