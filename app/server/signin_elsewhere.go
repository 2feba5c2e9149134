package server

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Paths of the sign-in at a provider of accounts.
const (
	providerPath = "/v1/sign-in/provider"
	returnPath   = "/v1/sign-in/return"
)

// Ways answers how people can sign in, to anyone who can reach the server.
func (s *requestChecks) Ways(w http.ResponseWriter, _ *http.Request) {
	out := map[string]string{}
	if p := s.Provider(); p != nil {
		out["provider"], out["path"] = p.Host(), s.BasePath+providerPath
	}
	writeJSON(w, out)
}

// ToProvider sends a browser to the provider of accounts. The query to has the path of the page that is shown afterwards.
func (s *requestChecks) ToProvider(w http.ResponseWriter, r *http.Request) {
	p := s.Provider()
	if p == nil {
		writeProblem(w, problem(http.StatusNotFound, "no_provider", "people sign in with a key here"))
		return
	}
	redirect := strings.TrimRight(s.URL(), "/") + returnPath
	if s.URL() == "" {
		scheme := "http://"
		if s.overTLS(r) {
			scheme = "https://"
		}
		redirect = scheme + r.Host + s.BasePath + returnPath
	}
	address, browser, err := p.begin(r.Context(), redirect, localPath(r.URL.Query().Get("to")))
	if err != nil {
		s.Log.Error("sign in", "error", err)
		s.back(w, r, "provider")
		return
	}
	http.SetCookie(w, s.attemptCookie(r, browser, attemptTime))
	http.Redirect(w, r, address, http.StatusSeeOther)
}

// FromProvider signs in a browser that comes back from the provider.
func (s *requestChecks) FromProvider(w http.ResponseWriter, r *http.Request) {
	c := requestSender{Address: s.Address(r), Through: "provider"}
	p := s.Provider()
	if p == nil || !s.Rates.MayTry(c.Address, time.Now()) {
		s.back(w, r, "refused")
		return
	}
	browser := ""
	if cookie, err := r.Cookie(s.attemptCookie(r, "", 0).Name); err == nil {
		browser = cookie.Value
	}
	http.SetCookie(w, s.attemptCookie(r, "", -time.Second))
	q := r.URL.Query()
	a, err := p.take(q.Get("state"), browser)
	if err != nil {
		s.back(w, r, "expired")
		return
	}
	if q.Get("error") != "" {
		err = errors.New("the provider of accounts: " + printable(q.Get("error")))
	} else {
		c.User, err = p.finish(r.Context(), a, q.Get("code"))
	}
	cookie := ""
	if err == nil {
		cookie, err = s.Users.SignInAs(c.User, p.ID())
	}
	s.Rates.Tried(c.Address, err == nil, time.Now())
	switch {
	case errors.Is(err, errNoRole):
		s.Note(c, "refused_sign_in")
		s.back(w, r, "no_role")
		return
	case err != nil:
		s.Log.Warn("sign in", "error", err)
		s.Note(c, "refused_sign_in")
		s.back(w, r, "refused")
		return
	}
	s.Note(c, "signed_in")
	http.SetCookie(w, s.cookie(r, cookie, providerTime))
	http.Redirect(w, r, s.BasePath+a.to, http.StatusSeeOther)
}

// back shows the page with the reason why nobody was signed in: provider (it cannot be reached), refused, expired or no_role.
func (s *requestChecks) back(w http.ResponseWriter, r *http.Request, reason string) {
	http.Redirect(w, r, s.BasePath+"/#sign-in="+reason, http.StatusSeeOther)
}

// attemptCookie binds a sign-in to its browser. Browsers send it when the provider sends them back, so it is not strict.
func (s *requestChecks) attemptCookie(r *http.Request, value string, age time.Duration) *http.Cookie {
	c := s.cookie(r, value, age)
	c.Name, c.Path, c.SameSite = strings.TrimPrefix(c.Name, "__Host-")+"-sign-in", s.BasePath+"/v1/sign-in", http.SameSiteLaxMode
	c.Name = strings.TrimPrefix(c.Name, "__Secure-")
	return c
}

// localPath returns a path of this server, "/" for everything else.
func localPath(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "" || u.Host != "" || !strings.HasPrefix(text, "/") || strings.HasPrefix(text, "//") || strings.ContainsAny(text, "\\\r\n\t") {
		return "/"
	}
	return text
}
