package server

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"rein/app/inbox"
	"rein/app/server/api"
)

// answerLinks are links to a request, each of which answers it once.
type answerLinks struct {
	links     *linkStore
	approvals approvals
	address   func(*http.Request) string // of the client
}

// find finds the request of a link as it is now.
func (a *answerLinks) find(t linkTarget) (requestSender, linkView, error) {
	c := requestSender{User: User{Name: "link@" + t.For, Role: roleApprover, Workspaces: []string{t.Dir}}, Through: "link", Face: "link"}
	w, r, err := a.approvals.pending(c.User, t.Session, t.Call)
	if err != nil {
		return c, linkView{State: "gone"}, err
	}
	if r.Hash != t.Hash {
		return c, linkView{State: "changed"}, inbox.ErrChanged
	}
	v := linkView{Dir: w.dir, High: highRisk(r), Approve: r.Intent.Questions == nil, Hash: r.Hash, Command: a.approvals.masked(r.Intent.Command)}
	for _, l := range r.Lines {
		v.Lines = append(v.Lines, a.approvals.masked(l))
	}
	if root, err := a.approvals.rootOf(r); err == nil {
		v.Title = a.approvals.masked(root.Title)
	}
	return c, v, nil
}

// show shows the request of a link. It answers nothing, whatever opens it: a person, a preview of a chat, a mail scanner.
func (a *answerLinks) show(w http.ResponseWriter, r *http.Request) {
	v := linkView{State: "gone"}
	if t, err := a.links.Get(r.PathValue("token")); err == nil {
		_, v, _ = a.find(t) // the view says what is wrong
	}
	v.Write(w, r)
}

// answer answers the request of a link, once: approved for this call, or denied.
func (a *answerLinks) answer(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		linkView{State: "failed"}.Write(w, r)
		return
	}
	given := api.Answer{Choice: r.PostForm.Get("choice"), Hash: r.PostForm.Get("hash"), Words: r.PostForm.Get("words")}
	linkView{State: a.use(r.Context(), a.address(r), r.PathValue("token"), given)}.Write(w, r)
}

func (a *answerLinks) use(ctx context.Context, address, token string, given api.Answer) (state string) {
	t, err := a.links.Get(token)
	if err != nil {
		return "gone"
	}
	c, v, err := a.find(t)
	switch {
	case err != nil:
		return v.State
	case given.Hash != t.Hash || given.Choice != "denied" && (given.Choice != "approved" || !v.Approve):
		return "failed"
	}
	if _, err := a.links.Use(token); errors.Is(err, errNoLink) {
		return "gone"
	}
	c.Address = address
	if given.Words = given.Words[:min(len(given.Words), 2000)]; given.Choice == "approved" {
		given.Words = ""
	}
	out, err := a.approvals.answer(ctx, c, t.Session, t.Call, api.Answer{Choice: given.Choice, Hash: t.Hash, Words: strings.ToValidUTF8(given.Words, "")})
	switch {
	case err != nil:
		a.approvals.log.Warn("an answer by a link", "error", err)
		return "failed"
	case !out.Mine:
		return "gone"
	}
	return "done"
}
